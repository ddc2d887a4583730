"""sacreBLEU's readers run on raw files of ours, as a black box."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sacrebleu.dataset
import sacrebleu.dataset.base
import sacrebleu.utils

CLASSES = {
    "fake-sgml": sacrebleu.dataset.FakeSGMLDataset,
    "sgml-plus-text": sacrebleu.dataset.WMTAdditionDataset,
    "iwslt-xml": sacrebleu.dataset.IWSLTXMLDataset,
    "wmt-xml": sacrebleu.dataset.WMTXMLDataset,
    "plain-text": sacrebleu.dataset.PlainTextDataset,
    "tsv": sacrebleu.dataset.TSVDataset,
}


def look_in(root: Path) -> None:
    """Where sacreBLEU, which reads its variable once, is to look from now on."""
    sacrebleu.dataset.base.SACREBLEU_DIR = sacrebleu.utils.SACREBLEU_DIR = str(root)


class Peer:
    """A sacreBLEU that sees one test set."""

    def __init__(self, root: Path, kind: str, members: Sequence[str], name: str = "wmt19", **options: Any) -> None:
        self.name = name
        self.raw = root / name / "raw"
        look_in(root)
        self.dataset = CLASSES[kind](
            name, data=["https://127.0.0.1/there"], md5=["unused"], langpairs={"en-de": list(members)}, **options
        )
        shutil.rmtree(root / name, ignore_errors=True)
        self.raw.mkdir(parents=True)
        # A file of that name with something in it: sacreBLEU thinks it has downloaded everything.
        (self.raw / f"{name.replace('/', '_')}.there").write_bytes(b"x")

    def read(self, contents: Mapping[str, bytes]) -> dict[str, bytes]:
        """The bytes of each field."""
        for name, content in contents.items():
            (self.raw / name).write_bytes(content)
        self.dataset.process_to_text("en-de")
        fields = self.dataset.fieldnames("en-de")
        return {
            field: Path(path).read_bytes() for field, path in zip(fields, self.dataset.get_files("en-de"), strict=True)
        }

    def cut(self, count: int, origlang: str | None, subset: str | None) -> list[int]:
        """The numbers of the segments that a filter keeps."""
        before = dict(sacrebleu.dataset.DATASETS)
        sacrebleu.dataset.DATASETS[self.name] = self.dataset
        try:
            (kept,) = sacrebleu.utils.filter_subset([list(range(count))], self.name, "en-de", origlang, subset)
        finally:
            sacrebleu.dataset.DATASETS.clear()
            sacrebleu.dataset.DATASETS.update(before)
        return list(kept)
