"""Write the lock files of the runners' environments: ``python tools/lock_runners.py UV``; needs a network.

uv chooses the versions and lists all wheels; a lock file keeps the SHA-256 of those that its platform can take. The
comment of a line names the runners that need the package.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

LOCKS = Path(__file__).resolve().parent.parent / "python" / "truebleu" / "runners" / "locks"
# What a user would ask for. setuptools: torchmetrics 0.10.3 imports pkg_resources.
WANTED = {
    "comet": ("unbabel-comet==2.2.7", "setuptools<81", "torch", "transformers==4.57.6"),
    "bertscore": ("bert-score==0.3.13", "torch", "transformers==4.57.6"),
    "metricx": ("transformers==4.57.6", "torch", "sentencepiece", "protobuf"),
}
_GLIBC = [f"manylinux_2_{minor}" for minor in range(39, 4, -1)] + ["manylinux2014", "manylinux2010", "manylinux1"]
PLATFORMS = {
    "linux-x86_64": ("x86_64-unknown-linux-gnu", [f"{one}_x86_64" for one in _GLIBC]),
    "linux-aarch64": ("aarch64-unknown-linux-gnu", [f"{one}_aarch64" for one in _GLIBC]),
    "macos-arm64": (
        "aarch64-apple-darwin",
        [f"macosx_{major}_0_{kind}" for major in range(26, 10, -1) for kind in ("arm64", "universal2")]
        + [f"macosx_10_{minor}_universal2" for minor in range(16, 3, -1)],
    ),
    "windows-x86_64": ("x86_64-pc-windows-msvc", ["win_amd64"]),
}
LOCKED = [("3.12", name) for name in PLATFORMS] + [("3.11", "linux-x86_64")]


def main(uv: str) -> None:
    """Write all lock files."""
    LOCKS.mkdir(exist_ok=True)
    for python, platform in LOCKED:
        everything = compiled(uv, python, platform, {line for lines in WANTED.values() for line in lines}, [])
        pins = [f"{one['name']}=={one['version']}" for one in everything]
        needed = {
            runner: {one["name"] for one in compiled(uv, python, platform, set(lines), pins)}
            for runner, lines in WANTED.items()
        }
        lines = [
            f"{one['name']}=={one['version']} {' '.join(hashes_of(one, python, platform))}"
            f"  # {' '.join(runner for runner in WANTED if one['name'] in needed[runner])}"
            for one in everything
        ]
        name = f"neural-py{python.replace('.', '')}-{platform}.txt"
        (LOCKS / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        print(name, len(lines), (LOCKS / name).stat().st_size)


def compiled(uv: str, python: str, platform: str, wanted: set[str], pins: list[str]) -> list[dict[str, Any]]:
    """The packages that uv chooses, with their wheels."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {"in": sorted(wanted), "pins": pins}
        for name, lines in texts.items():
            Path(folder, f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        out = os.path.join(folder, "pylock.toml")
        subprocess.run(
            [uv, "pip", "compile", "--quiet", "--format", "pylock.toml", "--only-binary", ":all:", "-o", out]
            + ["--python-version", python, "--python-platform", PLATFORMS[platform][0]]
            + ["-c", os.path.join(folder, "pins.txt"), os.path.join(folder, "in.txt")],
            check=True,
        )
        packages: list[dict[str, Any]] = tomllib.loads(Path(out).read_text("utf-8"))["packages"]
    return packages


def hashes_of(package: dict[str, Any], python: str, platform: str) -> list[str]:
    """The digests of those wheels that a platform can take."""
    version = (int(python[0]), int(python[2:]))
    platforms = PLATFORMS[platform][1]
    interpreter = f"cp{version[0]}{version[1]}"
    tags = {*cpython_tags(version, platforms=platforms), *compatible_tags(version, interpreter, platforms)}
    fitting = [
        wheel["hashes"]["sha256"]
        for wheel in package["wheels"]
        if tags & parse_wheel_filename(wheel["url"].rpartition("/")[2].replace("%2B", "+"))[3]
    ]
    assert fitting, f"{package['name']} has no wheel for {platform}"
    return [f"--hash=sha256:{digest}" for digest in sorted(fitting)]


if __name__ == "__main__":
    main(sys.argv[1])
