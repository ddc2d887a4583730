"""Builds the wheel of this folder, without any other package: pip needs neither a network nor setuptools."""

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Any

_VERSION = "2.6.0+truebleu"
_INFO = f"sacrebleu-{_VERSION}.dist-info"
_METADATA = f"""\
Metadata-Version: 2.1
Name: sacrebleu
Version: {_VERSION}
Summary: sacreBLEU's names over truebleu, in an environment of your choice
Classifier: Private :: Do Not Upload
Requires-Python: >=3.11
Requires-Dist: truebleu
Requires-Dist: truebleu[ja]; extra == "ja"
Requires-Dist: truebleu[ko]; extra == "ko"
Provides-Extra: ja
Provides-Extra: ko
"""
_WHEEL = """\
Wheel-Version: 1.0
Generator: truebleu
Root-Is-Purelib: true
Tag: py3-none-any
"""
_COMMAND = """\
[console_scripts]
sacrebleu = truebleu.sacrebleu.sacrebleu:main
"""


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Write the wheel into a folder, and give its name; pip calls this."""
    files = {
        "sacrebleu.py": Path(__file__).with_name("sacrebleu.py").read_bytes(),
        f"{_INFO}/METADATA": _METADATA.encode(),
        f"{_INFO}/WHEEL": _WHEEL.encode(),
        f"{_INFO}/entry_points.txt": _COMMAND.encode(),
    }
    lines = [f"{name},sha256={_hash(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{_INFO}/RECORD"] = "".join([*lines, f"{_INFO}/RECORD,,\n"]).encode()
    wheel = f"sacrebleu-{_VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # of 1980: the same bytes each time
    return wheel


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
