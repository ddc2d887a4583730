"""Check what would be published: ``make release-check`` does all of it that can be done on one machine.

It builds the wheel and the source archive (or takes those that are named), and looks at each: the name and the version,
the metadata, the licence, the size, and that it holds every file it should and no other. Then it installs each into an
empty environment and uses it there: the command, the demo set, and a part of the tests. The wheel is installed where no
compiler of Rust is in the path.
"""

import argparse
import email.message
import email.parser
import fnmatch
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

from release import BESIDE, ReleaseError, current, whole_links

REPOSITORY = Path(__file__).resolve().parent.parent
TWINE = "twine==7.0.0"
LARGEST_WHEEL = 3_000_000
LICENCES = ["LICENSE", "LICENSE-WORDNET"]

# What may be in an archive; every file must also be known to git. A new kind of file is added here, on purpose.
IN_WHEEL = [
    "truebleu/*.py",
    "truebleu/*.pyi",
    "truebleu/py.typed",
    "truebleu/data/wordnet30.bin",
    "truebleu/dataset/*.json",
    "truebleu/dataset/*.tsv",
    "truebleu/doctor/*.json",
    "truebleu/doctor/variants.txt",
    "truebleu/metrics/methods.bib",
    "truebleu/demo/README.md",
    "truebleu/demo/*.jsonl",
    "truebleu/runners/judging/prompts/*.toml",
    "truebleu/runners/locks/*.txt",
    "truebleu/study/page/assets/*",
]
NATIVE = ["truebleu/_core.abi3.so", "truebleu/_core.pyd"]
IN_SDIST = [
    "crates/*.rs",
    "crates/*/Cargo.toml",
    ".cargo/config.toml",
    "Cargo.toml",
    "Cargo.lock",
    *LICENCES,
    "README.md",
]
# Maturin writes these itself.
WRITTEN = ["PKG-INFO", "pyproject.toml", "Cargo.toml", "crates/*/Cargo.toml", "Cargo.lock"]

NEEDED_FIELDS = ["Summary", "Author", "Keywords", "License-Expression", "License-File", "Requires-Python", "Classifier"]
NEEDED_URLS = {"Homepage", "Documentation", "Changelog", "Issues", "Source"}

# The part of the tests that shows an installed package at work: numbers against sacreBLEU, rows, signatures, the demo.
TESTS = [
    "tests/parity/test_bleu.py",
    "tests/parity/test_chrf.py",
    "tests/parity/test_ter.py",
    "tests/test_demo.py",
    "tests/test_import.py",
    "tests/test_signature.py",
    "tests/test_stats.py",
    # Needs dictionaries of Japanese and Korean, which not every platform has.
    "--deselect=tests/parity/test_bleu.py::test_target_language_chooses_the_tokenizer",
]
TEST_PACKAGES = ["hypothesis", "pytest", "regex", "sacrebleu"]


def main() -> int:
    """Check the archives that the command line names, or build and check them."""
    parser = argparse.ArgumentParser(description="check the wheel and the source archive before they are published")
    parser.add_argument("archives", nargs="*", type=Path, help="wheels and source archives; without any they are built")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / "target/release-check", help="where to work")
    parser.add_argument("--only-look", action="store_true", help="look at the archives, and install nothing")
    given = parser.parse_args()
    try:
        folder = given.folder.resolve()
        archives = [archive.resolve() for archive in given.archives] or build(folder / "dist")
        for archive in archives:
            look(archive)
        if not given.only_look:
            check_with_twine(archives, folder)
            for archive in archives:
                use(archive, folder)
    except ReleaseError as error:
        print(f"release-check: {error}", file=sys.stderr)
        return 1
    print(f"release-check: {len(archives)} archives are fit to be published")
    return 0


def build(folder: Path) -> list[Path]:
    """Build the wheel and the source archive.

    Parameters
    ----------
    folder
        Where they go; what is there is deleted.
    """
    shutil.rmtree(folder, ignore_errors=True)
    maturin = str(Path(sys.executable).with_name("maturin"))
    readme = REPOSITORY / "README.md"
    text = readme.read_text("utf-8")
    try:
        readme.write_text(whole_links(text), "utf-8")
        run([maturin, "build", "--release", "--locked", "--out", str(folder)], "the wheel cannot be built")
        run([maturin, "sdist", "--out", str(folder)], "the source archive cannot be built")
    finally:
        readme.write_text(text, "utf-8")
    return sorted(folder.iterdir(), reverse=True)


def look(archive: Path) -> None:
    """Check the name, the metadata, the size and the files of an archive.

    Parameters
    ----------
    archive
        A wheel or a source archive.
    """
    if not archive.is_file():
        raise ReleaseError(f"{archive}: there is no such file")
    wheel = archive.suffix == ".whl"
    version = current(REPOSITORY)
    expected = f"truebleu-{version}-cp311-abi3-*.whl" if wheel else f"truebleu-{version}.tar.gz"
    if not fnmatch.fnmatchcase(archive.name, expected):
        raise ReleaseError(f"{archive.name}: expected the name {expected}, for the version in Cargo.toml is {version}")
    files = read(archive)
    if wheel and archive.stat().st_size > LARGEST_WHEEL:
        raise ReleaseError(
            f"{archive.name}: {archive.stat().st_size:,} bytes, and at most {LARGEST_WHEEL:,} are allowed"
        )
    home = f"truebleu-{version}.dist-info/"
    check_metadata(archive.name, files.pop(home + "METADATA" if wheel else "PKG-INFO", b""), version)
    for name in LICENCES:
        licence = f"{home}licenses/{name}" if wheel else name
        if files.get(licence) != (REPOSITORY / name).read_bytes():
            raise ReleaseError(f"{archive.name}: {licence} is not the {name} of the repository")
    names = {name for name in files if not name.startswith(home)}
    if wheel:
        check_files(archive.name, names, tracked("python"), IN_WHEEL, one_of=NATIVE)
    else:
        needed = {f"python/{name}" for name in tracked("python")} | tracked_as(IN_SDIST)
        check_files(archive.name, names, needed, [*(f"python/{name}" for name in IN_WHEEL), *IN_SDIST, *WRITTEN])
    print(f"{archive.name}: {len(files)} files, {archive.stat().st_size / 1e6:.2f} MB")


def read(archive: Path) -> dict[str, bytes]:
    """Read an archive: for each file its bytes, with the names below the archive's own folder.

    Parameters
    ----------
    archive
        A wheel or a source archive.
    """
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
        with tarfile.open(archive) as source:
            members = [(member, source.extractfile(member)) for member in source if member.isfile()]
            return {member.name.split("/", 1)[-1]: data.read() for member, data in members if data is not None}
    except (zipfile.BadZipFile, tarfile.TarError, OSError) as error:
        raise ReleaseError(f"{archive.name}: cannot be read: {error}") from None


def check_metadata(name: str, data: bytes, version: str) -> None:
    """Check that the metadata are complete.

    Parameters
    ----------
    name
        The name of the archive, for messages.
    data
        The file METADATA or PKG-INFO.
    version
        The version that they must say.
    """
    fields: email.message.Message = email.parser.BytesParser().parsebytes(data)
    if (fields["Name"], fields["Version"]) != ("truebleu", version):
        raise ReleaseError(
            f"{name}: the metadata are of {fields['Name']} {fields['Version']}, not of truebleu {version}"
        )
    missing = [field for field in NEEDED_FIELDS if not fields[field]]
    urls = {url.split(",")[0] for url in fields.get_all("Project-URL", [])}
    missing += [f"Project-URL {url}" for url in sorted(NEEDED_URLS - urls)]
    description = str(fields.get_payload())
    if not description.strip():
        missing.append("a description")
    if beside := BESIDE.search(description):
        raise ReleaseError(
            f"{name}: the description links to {beside[0]}: `release.py --whole-links` comes before building"
        )
    if missing:
        raise ReleaseError(f"{name}: the metadata lack {', '.join(missing)}")


def check_files(
    name: str, found: set[str], needed: set[str], allowed: list[str], one_of: list[str] | None = None
) -> None:
    """Check that an archive holds every file that it should, and no other.

    Parameters
    ----------
    name
        The name of the archive, for messages.
    found
        The names of its files.
    needed
        The names that git knows.
    allowed
        Patterns of names that may be published.
    one_of
        Names of which exactly one must be there, beside those needed.
    """
    native = found & set(one_of or ())
    if one_of and len(native) != 1:
        raise ReleaseError(f"{name}: expected one of {', '.join(one_of)}, got {', '.join(sorted(native)) or 'none'}")
    strays = [
        file
        for file in sorted(found - native)
        if not any(fnmatch.fnmatchcase(file, pattern) for pattern in allowed)
        or not (file in needed or any(fnmatch.fnmatchcase(file, pattern) for pattern in WRITTEN))
    ]
    if strays:
        raise ReleaseError(
            f"{name}: {', '.join(strays)} slipped in: git does not know it, or IN_WHEEL and IN_SDIST do not allow it"
        )
    if missing := sorted(needed - found):
        raise ReleaseError(f"{name}: {', '.join(missing[:5])} {'...' * (len(missing) > 5)} missing")


def tracked(folder: str) -> set[str]:
    """List the files of a folder that git knows, as they are called within it.

    Parameters
    ----------
    folder
        A folder of the repository.
    """
    # In a container another user may own the checkout, which git refuses to read unless told.
    command = ["git", "-c", "safe.directory=*", "-C", str(REPOSITORY / folder), "ls-files", "-z"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"git does not say which files belong to {folder}: {done.stderr.strip()}")
    return set(done.stdout.strip("\0").split("\0"))


def tracked_as(patterns: list[str]) -> set[str]:
    """List the files of the repository that git knows and that fit one of the patterns.

    Parameters
    ----------
    patterns
        Patterns of names, from the root of the repository.
    """
    return {file for file in tracked(".") if any(fnmatch.fnmatchcase(file, pattern) for pattern in patterns)}


def check_with_twine(archives: list[Path], folder: Path) -> None:
    """Have twine check the archives, as the package index would.

    Parameters
    ----------
    archives
        Wheels and source archives.
    folder
        Where the environment of twine is made.
    """
    python = environment(folder / "twine")
    run([python, "-m", "pip", "install", "--quiet", TWINE], "twine cannot be installed")
    run([python, "-m", "twine", "check", "--strict", *map(str, archives)], "twine refuses the archives")


def use(archive: Path, folder: Path) -> None:
    """Install an archive into an empty environment, and use it there.

    Parameters
    ----------
    archive
        A wheel, or a source archive, which is built.
    folder
        Where the environment is made.
    """
    wheel = archive.suffix == ".whl"
    python = environment(folder / ("wheel" if wheel else "source"))
    command = str(Path(python).with_name("truebleu"))
    settings = dict(os.environ, PYTHONPATH="", CARGO_TARGET_DIR=str(folder / "cargo"))
    if wheel:
        settings["PATH"] = without_rust(settings["PATH"])
    name = archive.name
    run([python, "-m", "pip", "install", "--quiet", str(archive)], f"{name} cannot be installed", settings)
    where = run([python, "-c", "import truebleu; print(truebleu.__file__)"], f"{name} cannot be imported", settings)
    if not Path(where).is_relative_to(Path(python).parent.parent):
        raise ReleaseError(f"{name}: another truebleu was imported, {where}")
    said = run([command, "--version"], f"{name}: the command fails", settings)
    if current(REPOSITORY) not in said:
        raise ReleaseError(f"{name}: `truebleu --version` says {said!r}, expected {current(REPOSITORY)}")
    run([command, "--help"], f"{name}: the help fails", settings)
    demo = [command, "-t", "demo", "-l", "en-de", "-i", "atlas", "-m", "bleu", "chrf", "ter", "-b"]
    print(f"{name}: the demo scores {' '.join(run(demo, f'{name}: the demo set cannot be scored', settings).split())}")
    run([python, "-m", "pip", "install", "--quiet", *test_packages()], "the packages of the tests cannot be installed")
    run([python, "-m", "pytest", "-p", "no:cacheprovider", *TESTS], f"{name}: its tests fail", settings)
    print(f"{name}: installed, used and tested in an empty environment")


def test_packages() -> list[str]:
    """List what the tests need, in the versions of pyproject.toml."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    return [one for one in project["optional-dependencies"]["dev"] if one.split("=")[0].rstrip(">") in TEST_PACKAGES]


def without_rust(path: str) -> str:
    """Leave out the folders of a search path that hold a compiler of Rust.

    Parameters
    ----------
    path
        What the variable PATH says.
    """
    return os.pathsep.join(
        folder
        for folder in path.split(os.pathsep)
        if not any(shutil.which(tool, path=folder) for tool in ("cargo", "rustc"))
    )


def environment(folder: Path) -> str:
    """Make an empty environment, and give the path of its Python.

    Parameters
    ----------
    folder
        Where it goes; what is there is deleted.
    """
    venv.create(folder, clear=True, with_pip=True)
    return str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def run(command: list[str], trouble: str, settings: dict[str, str] | None = None) -> str:
    """Run a command in the repository and give what it prints.

    Parameters
    ----------
    command
        The words of the command.
    trouble
        What to say when it fails; its own words follow.
    settings
        The variables of its environment, this program's unless given.
    """
    done = subprocess.run(
        command, cwd=REPOSITORY, env=settings, capture_output=True, encoding="utf-8", errors="replace"
    )
    if done.returncode:
        raise ReleaseError(f"{trouble}\n{done.stdout[-4000:]}{done.stderr[-4000:]}".rstrip())
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
