"""sacreBLEU's names: the same calls with the same results."""

import inspect
from pathlib import Path

import pytest
import sacrebleu
import sacrebleu.dataset
import sacrebleu.utils

import truebleu
from dataset.caches import add_set
from dataset.peer import Peer
from truebleu.errors import OptionError, UnknownTestSet

pytestmark = pytest.mark.usefixtures("own_cache")

NAMES = [
    "download_test_set", "extract_tarball", "filter_subset", "get_available_origlangs", "get_available_subsets",
    "get_available_testsets", "get_available_testsets_for_langpair", "get_files", "get_langpairs_for_testset",
    "get_md5sum", "get_reference_files", "get_source_file", "print_test_set", "smart_open",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_functions_take_sacrebleus_arguments(name: str) -> None:
    theirs, ours = (inspect.signature(getattr(module.utils, name)) for module in (sacrebleu, truebleu))
    kept = [(parameter.name, parameter.default) for parameter in theirs.parameters.values()]
    assert kept == [(parameter.name, parameter.default) for parameter in ours.parameters.values()]


def test_every_public_name_of_sacrebleus_is_here() -> None:
    assert set(sacrebleu.__all__) <= set(truebleu.__all__)
    for name in ("DATASETS", "SUBSETS", "COUNTRIES", "DOMAINS"):
        assert hasattr(truebleu.dataset, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        assert truebleu.dataset.nothing
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        assert truebleu.utils.nothing
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        assert truebleu.nothing


def test_listings_are_sacrebleus_with_our_sets_added() -> None:
    added = set(truebleu.DATASETS) - set(sacrebleu.DATASETS)
    ours = truebleu.get_available_testsets()
    assert sacrebleu.get_available_testsets() == [name for name in ours if name not in added]
    assert sorted(ours, reverse=True) == ours
    for pair in ("en-fi", "de-en", "en-liv", "xx-yy"):
        theirs = sacrebleu.utils.get_available_testsets_for_langpair(pair)
        found = truebleu.utils.get_available_testsets_for_langpair(pair)
        assert theirs == [name for name in found if name not in added]
    for name in ("wmt16", "iwslt17", "nope"):
        assert sacrebleu.get_langpairs_for_testset(name) == truebleu.get_langpairs_for_testset(name)


def test_datasets_are_a_mapping() -> None:
    assert len(truebleu.DATASETS) == len(list(truebleu.DATASETS)) == 87
    assert "wmt22" in truebleu.DATASETS and "nope" not in truebleu.DATASETS
    assert "<Dataset wmt22>" == repr(truebleu.DATASETS["wmt22"])
    with pytest.raises(KeyError):
        assert truebleu.DATASETS["nope"]


@pytest.fixture
def both(own_cache: Path, root: Path) -> Peer:
    contents = {"s": b"one \ntwo\n", "r": b"eins\n zwei\n"}
    add_set(own_cache / "registry", "lab/p", "plain-text", contents, {"en-de": ["s", "r"]})
    peer = Peer(root, "plain-text", ["s", "r"], "lab/p")
    peer.read(contents)
    return peer


def test_methods_give_sacrebleus_results(both: Peer) -> None:
    theirs, ours = both.dataset, truebleu.DATASETS["lab/p"]
    assert theirs.fieldnames("en-de") == ours.fieldnames("en-de")
    assert list(theirs.source("en-de")) == list(ours.source("en-de"))
    assert list(theirs.references("en-de")) == list(ours.references("en-de"))
    ours.maybe_download()
    ours.process_to_text()
    for method in ("get_source_file", "get_reference_files", "get_files"):
        one, other = getattr(theirs, method)("en-de"), getattr(ours, method)("en-de")
        assert type(one) is type(other)
        for there, here in zip(*([[one], [other]] if isinstance(one, str) else [one, other]), strict=True):
            assert Path(there).name == Path(here).name
            assert Path(there).read_bytes() == Path(here).read_bytes()


def test_functions_give_paths(both: Peer) -> None:
    files = truebleu.utils.get_files("lab/p", "en-de")
    assert files == truebleu.download_test_set("lab/p", "en-de") == truebleu.download_test_set("lab/p")
    assert files == [truebleu.get_source_file("lab/p", "en-de"), *truebleu.get_reference_files("lab/p", "en-de")]
    assert sacrebleu.utils.get_md5sum(files[0]) == truebleu.utils.get_md5sum(files[0])


def test_unknown_names_raise() -> None:
    for function in (truebleu.get_source_file, truebleu.get_reference_files, truebleu.utils.get_files):
        with pytest.raises(UnknownTestSet, match="no test set 'nope'"):
            function("nope", "en-de")
        with pytest.raises(UnknownTestSet, match="has no language pair 'en-xx'"):
            function("wmt16", "en-xx")
    with pytest.raises(OptionError, match="'en' is not a language pair"):
        truebleu.utils.get_available_testsets_for_langpair("en")
