"""Files of columns at addresses: object stores, fsspec, datasets; what is refused; and what no message shows."""

import io
import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truebleu import BLEU, TER, columns
from truebleu.errors import (
    DownloadError,
    InputFileError,
    InputTypeError,
    MissingFile,
    OptionError,
    StatsMismatch,
    UnknownField,
)

pa = pytest.importorskip("pyarrow")
import pyarrow.dataset as ds  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from columns.made_up import table  # noqa: E402
from columns.made_up_hub import hub  # noqa: E402
from truebleu.cli.main import main  # noqa: E402
from truebleu.columns import files, places  # noqa: E402
from truebleu.columns.files import read_totals  # noqa: E402
from truebleu.columns.places import Address, expand, place_of  # noqa: E402

TEXTS: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": ["lang", "n"]}
METRICS = [BLEU(), TER()]
SHELL = ["--hyp-field", "mt", "--ref-field", "ref", "--by", "lang", "n", "-f", "json"]


def write_tree(root: Path) -> Any:
    """A tree of partitions, and one table of the same rows with the column."""
    parts = []
    for at in range(3):
        part = table(40, seed=at)
        (root / f"n={at}").mkdir(parents=True)
        pq.write_table(part, root / f"n={at}" / "part.parquet", row_group_size=16)
        parts.append(part.append_column("n", pa.array([str(at)] * 40)))
    (root / "_SUCCESS").write_text("")
    return pa.concat_tables(parts)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_tree(tmp_path / "tree")
    return tmp_path / "tree"


@pytest.fixture
def whole(tmp_path: Path) -> Any:
    return columns.score_table(write_tree(tmp_path / "other"), METRICS, **TEXTS)


@pytest.fixture
def memory(tree: Path) -> Iterator[str]:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for path in tree.rglob("*"):
        if path.is_file():
            system.pipe(f"/data/{path.relative_to(tree)}", path.read_bytes())
    yield "memory://data"
    system.rm("/data", recursive=True)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    moto = pytest.importorskip("moto.server")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    from pyarrow.fs import S3FileSystem

    for name, value in (("ACCESS_KEY_ID", "somebody"), ("SECRET_ACCESS_KEY", "hush-hush"), ("DEFAULT_REGION", "x-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    system = S3FileSystem(endpoint_override=server, scheme="http", allow_bucket_creation=True)
    system.create_dir("bucket")
    for path in tree.rglob("*.parquet"):
        with system.open_output_stream(f"bucket/data/{path.relative_to(tree)}") as stream:
            stream.write(path.read_bytes())
    places._system.cache_clear()
    return f"?scheme=http&endpoint_override={server}"


@pytest.fixture
def dataset(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    constants = pytest.importorskip("huggingface_hub.constants")
    with hub(tree) as address:
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        places._system.cache_clear()
        pytest.importorskip("huggingface_hub").HfFileSystem.clear_instance_cache()
        yield "hf://datasets/x/y"
    places._system.cache_clear()


@pytest.mark.parametrize("place", ["path", "file", "memory", "s3", "hf"])
@pytest.mark.parametrize("form", ["folder", "pattern", "file", "list"])
def test_every_way_to_name_files_goes_everywhere(
    place: str, form: str, tree: Path, whole: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    base, query = str(tree), ""
    if place == "s3":
        base, query = "s3://bucket/data", request.getfixturevalue("bucket")
    elif place != "path":
        base = f"file://{tree}" if place == "file" else request.getfixturevalue({"hf": "dataset"}.get(place, place))
    each = [f"{base}/n={at}/part.parquet{query}" for at in range(3)]
    given: Any = {"folder": base + query, "pattern": f"{base}/n=*/*.parquet{query}", "file": each[1], "list": each}[
        form
    ]
    expected = whole.filter(ds.field("n") == "1") if form == "file" else whole
    assert expected == columns.score_table(given, METRICS, **TEXTS)
    assert expected == columns.score_files(given, METRICS, **TEXTS, jobs=2)
    assert whole.filter(ds.field("n") == "1") == columns.score_files(given, METRICS, **TEXTS, where="n == '1'")
    out = tmp_path / "totals.parquet"
    words = [*(given if form == "list" else [given]), *SHELL, "-m", "bleu", "ter", "--totals-out", str(out)]
    assert 0 == main(words)
    assert expected == read_totals(out)[0].scores()


def test_http_is_read_from_this_machine_alone(tree: Path, whole: Any) -> None:
    pytest.importorskip("aiohttp")
    with hub(tree) as address:
        base = f"{address}/datasets/x/y/resolve/main"
        paths = [f"{base}/n={at}/part.parquet?token=hush" for at in range(3)]
        assert whole == columns.score_files(paths, METRICS, **TEXTS) == columns.score_table(paths, METRICS, **TEXTS)
        with pytest.raises(MissingFile, match=r"main/none\.parquet: there is no such file") as raised:
            columns.score_files(f"{base}/none.parquet?token=hush", BLEU(), **TEXTS)
    assert "hush" not in str(raised.value)


def test_what_a_hub_says_is_our_error(dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingFile, match=r"hf://datasets/x/y/none\.parquet: there is no such file"):
        columns.score_files(f"{dataset}/none.parquet", BLEU(), **TEXTS)
    paths = expand(dataset)
    template = "http://127.0.0.1:1/{repo_id}/{revision}/{filename}"
    monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr("time.sleep", lambda _: None)  # between its attempts
    with pytest.raises(InputFileError, match=r"hf://datasets/x/y/n=0/part\.parquet: cannot be read"):
        columns.score_files(paths, BLEU(), **TEXTS)
    with (
        pytest.raises(InputFileError, match=r"s3://b/a\.parquet: cannot be read: no such key$") as raised,
        places.reaching(place_of("s3://b/a.parquet?secret=1")),
    ):
        raise RuntimeError("no such key?secret=1")
    assert raised.value.__cause__ is None


def test_a_tree_in_an_object_store(bucket: str, whole: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("s3://bucket/data", "s3://bucket/data/", "s3://bucket/data/n=*/*.parquet", "s3://bucket/**/*.parquet"):
        assert whole == columns.score_files(path + bucket, METRICS, **TEXTS)
        assert whole == columns.score_table(path + bucket, METRICS, **TEXTS)
    several = [f"s3://bucket/data/n={at}/part.parquet{bucket}" for at in (2, 0, 1)]
    assert whole == columns.score_files(several, METRICS, **TEXTS)
    out = tmp_path / "t.parquet"
    assert 0 == main([several[1], several[0], *SHELL, "--totals-out", str(out)])
    assert 0 == main([f"s3://bucket/data{bucket}", *SHELL, "--totals-out", str(out), "--resume"])
    told = capsys.readouterr()
    assert "2 of 3 files are in" in told.err
    ledger = read_totals(out)[1]
    assert ledger is not None and [f"s3://bucket/data/n={at}/part.parquet" for at in (0, 2, 1)] == list(ledger.files)
    assert b"endpoint_override" not in out.read_bytes() and b"hush" not in out.read_bytes()
    assert 0 == main([str(tmp_path / "tree"), *SHELL])
    assert told.out.splitlines()[-1] == capsys.readouterr().out.splitlines()[-1]


def test_what_is_missing_in_an_object_store_is_named(bucket: str) -> None:
    for path in ("s3://bucket/none.parquet", "s3://nowhere/data", "s3://bucket/data/*.nothing"):
        with pytest.raises(InputFileError, match=re.escape(path)) as raised:
            columns.score_files(path + bucket, BLEU(), **TEXTS)
        assert "endpoint" not in str(raised.value) and "hush" not in str(raised.value)


def test_only_the_columns_that_are_needed_are_fetched(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column of noise is most of the file, and hardly any of it goes over the wire."""
    from pyarrow.fs import S3FileSystem

    server = bucket.rpartition("=")[2]
    noise = pa.array([os.urandom(20_000) for _ in range(400)])
    data = table(400).append_column("noise", noise)
    system = S3FileSystem(endpoint_override=server, scheme="http")
    with system.open_output_stream("bucket/wide.parquet") as stream:
        pq.write_table(data, stream, row_group_size=100)
    size, read = system.get_file_info("bucket/wide.parquet").size, []

    class Counting(io.RawIOBase):
        def __init__(self, file: Any) -> None:
            self.file = file

        def readable(self) -> bool:
            return True

        def seekable(self) -> bool:
            return True

        def seek(self, at: int, whence: int = 0) -> int:
            return int(self.file.seek(at, whence))

        def tell(self) -> int:
            return int(self.file.tell())

        def read(self, count: int = -1) -> bytes:
            found = bytes(self.file.read(None if count < 0 else count))
            read.append(len(found))
            return found

    def counted(address: Address) -> tuple[Any, str]:
        class Counted:
            def open_input_file(self, path: str) -> Any:
                return pa.PythonFile(Counting(system.open_input_file(path)), "r")

        return Counted(), address.partition("://")[2]

    import truebleu.columns.parquet as parquet

    expected = columns.score_table(data, BLEU(), hypothesis="mt", references="ref")
    path = place_of(f"s3://bucket/wide.parquet{bucket}")
    monkeypatch.setattr(parquet, "system_of", counted)
    found = columns.totals(iter(parquet.file_batches(path, ["mt", "ref"])), BLEU(), hypothesis="mt", references="ref")
    assert expected == found.scores()
    assert size > 8_000_000 and 0 < sum(read) < size / 20


def test_a_tree_in_memory(memory: str, whole: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert whole == columns.score_files(memory, METRICS, **TEXTS)
    assert whole == columns.score_table(f"{memory}/**/part.parquet", METRICS, **TEXTS)
    assert 0 == main(["--offline", memory, *SHELL])
    in_memory = capsys.readouterr().out
    assert 0 == main(["--offline", f"file://{tmp_path}/tree", *SHELL])
    assert in_memory == capsys.readouterr().out


def test_a_path_may_be_written_as_an_address(tmp_path: Path) -> None:
    pq.write_table(table(20), tmp_path / "ä b.parquet")
    expected = columns.score_files(tmp_path / "ä b.parquet", BLEU(), hypothesis="mt", references="ref")
    for path in (f"file://{tmp_path}/ä%20b.parquet", f"file://localhost{tmp_path}/%C3%A4 b.parquet"):
        assert expected == columns.score_files(path, BLEU(), hypothesis="mt", references="ref")
        assert expected == columns.score_table(path, BLEU(), hypothesis="mt", references="ref")


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [
        ("s3://ann:pw@bucket/a.parquet", OptionError, "s3://bucket/a.parquet has a name or a password in it"),
        ("ftp://ann:pw@host/a.parquet", OptionError, "ftp://host/a.parquet begins with ftp://, expected one of file://"),
        ("filecache::s3://bucket/a.parquet", OptionError, "is a chain of protocols"),
        ("zip://a.parquet::s3://bucket/b.zip", OptionError, "is a chain of protocols"),
        ("http://host/a.parquet?pw=1", DownloadError, "http://host/a.parquet is not an https address"),
        ("s3://bucket/a?scheme=http&endpoint_override=host:1", DownloadError, "host:1 is not an https address"),
        ("s3://bucket/a?endpoint_override=http://host:1", DownloadError, "host:1 is not an https address"),
        ("s3://bucket/a?scheme=http", DownloadError, "is not an https address"),
        ("file://elsewhere/a.parquet", OptionError, "is a file of another machine"),
        ("s3://bucket/a?nonsense=pw", OptionError, "s3://bucket cannot be read by pyarrow here"),
    ],
)  # fmt: skip
def test_addresses_that_are_refused(path: str, kind: type[Exception], message: str) -> None:
    for call in (columns.score_files, columns.score_table):
        with pytest.raises(kind, match=re.escape(message)) as raised:
            call(path, BLEU(), **TEXTS)
        assert "pw" not in str(raised.value)


@pytest.mark.parametrize("path", ["s3://b/a.parquet", "gs://b/a", "hf://datasets/x/y", "https://h/a.parquet"])
def test_nothing_is_asked_for_where_the_network_is_not_to_be_used(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(DownloadError, match=f"{path} is not read: TRUEBLEU_OFFLINE is set"):
        columns.score_files(path, BLEU(), **TEXTS)


def test_the_command_asks_for_nothing_offline(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TRUEBLEU_OFFLINE", raising=False)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    words = ["s3://bucket/a.parquet?region=hush", *SHELL, "--totals-out", str(tmp_path / "t"), "--offline"]
    assert 1 == main(words)
    told = capsys.readouterr().err
    assert "s3://bucket/a.parquet is not read: TRUEBLEU_OFFLINE is set, or --offline was given" in told
    assert "hush" not in told and not list(tmp_path.iterdir())


def test_the_command_refuses_text_at_an_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["s3://bucket/a.jsonl?pw=1", "--hyp-field", "mt", "--ref-field", "ref"])
    told = capsys.readouterr().err
    assert "s3://bucket/a.jsonl is of jsonl; only Parquet, Arrow IPC and Feather are read from addresses" in told
    assert "pw" not in told


def test_an_address_keeps_its_query_to_itself() -> None:
    address = place_of("s3://bucket/a/b.parquet?region=x-1")
    assert isinstance(address, Address) and "s3://bucket/a/b.parquet" == str(address) == f"{address}"
    assert "region=x-1" == address.query == address.at("bucket/c").query == pickle.loads(pickle.dumps(address)).query
    assert "s3://bucket/c" == address.at("bucket/c")


@pytest.mark.parametrize(
    ("pattern", "fits", "not_fits"),
    [
        ("a/*.pq", "a/x.pq", "a/b/x.pq"),
        ("a/**/x.pq", "a/x.pq", "a/bx.pq"),
        ("a/**", "a/b/c/x.pq", "b/x.pq"),
        ("a/[!b]c", "a/xc", "a/bc"),
        ("a/b[0-9]+", "a/b7+", "a/b77"),
    ],
)
def test_patterns_are_those_of_paths(pattern: str, fits: str, not_fits: str, tmp_path: Path) -> None:
    import glob

    made = places._translated(pattern)
    for name in (fits, not_fits):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        listed = glob.glob(pattern, root_dir=tmp_path, recursive=True)
        assert (name in listed) is (name == fits) is (re.fullmatch(made, name) is not None)


def test_a_dataset_of_pyarrow_with_its_partitions_and_its_filter(tree: Path, whole: Any) -> None:
    parts = ds.partitioning(pa.schema([("n", pa.string())]), flavor="hive")
    data = ds.dataset(tree, partitioning=parts, exclude_invalid_files=True)
    assert whole == columns.score_table(data, METRICS, **TEXTS)
    assert whole.filter(ds.field("n") == "1") == columns.score_table(
        data.filter(ds.field("n") == "1"), METRICS, **TEXTS
    )
    with pytest.raises(UnknownField, match="there is no column 'none'"):
        columns.score_table(data, BLEU(), hypothesis="none", references="ref")
    nothing = data.filter(ds.field("n") == "9")
    assert 0 == len(columns.totals(nothing, BLEU(), **TEXTS))
    (tree / "n=2" / "part.parquet").unlink()
    with pytest.raises(MissingFile, match=r"a file of the Dataset is gone: .*n=2/part\.parquet"):
        columns.score_table(data, METRICS, **TEXTS)


def test_an_error_names_file_row_and_column(tree: Path) -> None:
    bad = table(40)
    bad = bad.set_column(3, "mt", pa.array(["a"] * 33 + [None] + ["a"] * 6))
    pq.write_table(bad, tree / "n=1" / "part.parquet", row_group_size=16)
    data = ds.dataset(tree, partitioning="hive", exclude_invalid_files=True)
    path = re.escape(str(tree / "n=1" / "part.parquet"))
    for given in (tree, f"{tree}/*/*.parquet", [tree / "n=1" / "part.parquet"], data):
        with pytest.raises(InputTypeError, match=rf"'mt' is null in row 33 of {path} \(lang="):
            columns.score_table(given, BLEU(), **TEXTS)
    for jobs in (1, 3):
        with pytest.raises(InputTypeError, match=rf"^{path}: 'mt' is null in row 33 \(lang="):
            columns.score_files(tree, BLEU(), **TEXTS, jobs=jobs)
    pq.write_table(bad.drop_columns(["ref"]), tree / "n=2" / "part.parquet")
    with pytest.raises(UnknownField, match=r"n=2/part\.parquet: there is no column 'ref'"):
        columns.score_table(sorted(tree.rglob("*.parquet"))[::-1], BLEU(), **TEXTS)


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("change", ["gone", "cut"])
def test_a_file_that_vanishes_in_the_middle_is_named(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, jobs: int
) -> None:
    paths, out = expand(tree), tmp_path / "t.parquet"
    real = files.file_batches

    def vanishing(path: str, needed: Any, where: Any) -> Any:
        if path == paths[0]:
            if change == "gone":
                os.unlink(paths[1])
            else:
                os.truncate(paths[1], 1000)
        return real(path, needed, where)

    expected = columns.score_files(tree, METRICS, **TEXTS)
    content = Path(paths[1]).read_bytes()
    monkeypatch.setattr(files, "file_batches", vanishing)
    with pytest.raises((InputFileError, ValueError), match=rf"{re.escape(paths[1])}"):
        columns.score_files(tree, METRICS, **TEXTS, resume=out, jobs=jobs)
    assert [paths[0]] == list(read_totals(out)[1].files)  # type: ignore[union-attr]
    monkeypatch.setattr(files, "file_batches", real)
    Path(paths[1]).write_bytes(content)
    assert expected == columns.score_files(tree, METRICS, **TEXTS, resume=out, jobs=jobs)


def test_a_file_in_memory_that_has_changed_is_named(memory: str, tmp_path: Path) -> None:
    import fsspec

    columns.score_files(memory, BLEU(), **TEXTS, resume=tmp_path / "t")
    content = io.BytesIO()
    pq.write_table(table(3), content)
    fsspec.filesystem("memory").pipe("/data/n=1/part.parquet", content.getvalue())
    with pytest.raises(StatsMismatch, match=r"memory://data/n=1/part\.parquet has changed since it was counted"):
        columns.score_files(memory, BLEU(), **TEXTS, resume=tmp_path / "t")


def test_folders_need_no_flag_in_the_command(tree: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert 0 == main([str(tree), *SHELL, "--fields-format", "parquet"])
    expected = capsys.readouterr().out
    assert 0 == main([str(tree), *SHELL])
    assert expected == capsys.readouterr().out
    assert 1 == main([str(tmp_path), "-i", str(tree)])
    assert "is a folder" in capsys.readouterr().err
