"""What a release is made of: one version, the changelog, the archives, and the files that GitHub reads."""

import datetime
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import changelog
import lowest
import release
import release_check
import truebleu
from changelog import KINDS, ChangelogError
from release import ReleaseError

pytestmark = pytest.mark.guard

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
CARGO = tomllib.loads((REPOSITORY / "Cargo.toml").read_text("utf-8"))
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
VERSION = CARGO["workspace"]["package"]["version"]
DAY = datetime.date(2026, 11, 16)


def in_yaml(path: str) -> Any:
    return yaml.safe_load((REPOSITORY / path).read_text("utf-8"))


# The version


def test_the_version_comes_from_cargo() -> None:
    assert VERSION == release.current(REPOSITORY) == truebleu.__version__
    assert "version" in PROJECT["dynamic"]
    for crate in ("core", "python"):
        manifest = tomllib.loads((REPOSITORY / "crates" / crate / "Cargo.toml").read_text("utf-8"))
        assert {"workspace": True} == manifest["package"]["version"]


def test_whatever_repeats_the_version_says_the_same() -> None:
    said = {
        (path.name, found.group()[len(found[1]) : -len(found[2]) or None])
        for path, pattern in release.repeated(REPOSITORY)
        for found in pattern.finditer(path.read_text("utf-8"))
    }
    assert {VERSION} == {version for _, version in said}
    assert {"Cargo.toml", "Cargo.lock", "CITATION.cff", "README.md"} <= {name for name, _ in said}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with what a release changes."""
    for name in ("Cargo.toml", "Cargo.lock", "CITATION.cff", "CHANGELOG.md", "README.md"):
        shutil.copy(REPOSITORY / name, tmp_path)
    for name in ("docs", "changelog.d"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    return tmp_path


def with_fragment(checkout: Path) -> None:
    (checkout / "changelog.d" / "some.fixed.md").write_text("Something is mended.", "utf-8")


def test_a_release_sets_the_version_everywhere(checkout: Path) -> None:
    with_fragment(checkout)
    release.prepare(checkout, "77.8.9", DAY)
    assert "77.8.9" == release.current(checkout)
    for path, pattern in release.repeated(checkout):
        assert VERSION not in "".join(found.group() for found in pattern.finditer(path.read_text("utf-8"))), path
    citation = yaml.safe_load((checkout / "CITATION.cff").read_text("utf-8"))
    assert ("77.8.9", DAY) == (citation["version"], citation["date-released"])
    release.check_tag(checkout, "v77.8.9")


@pytest.mark.parametrize(
    "version, said", [("1.0", "'1.0'"), ("v9.0.0", "'v9.0.0'"), ("0.0.1", "after"), ("77.0.0", "after")]
)
def test_a_version_that_cannot_follow_changes_nothing(checkout: Path, version: str, said: str) -> None:
    with_fragment(checkout)
    release.prepare(checkout, "77.0.0", DAY)
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    with pytest.raises(ReleaseError, match=said):
        release.prepare(checkout, version, DAY)
    assert before == {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}


def test_a_tag_that_is_not_the_version_is_refused(checkout: Path) -> None:
    with pytest.raises(ReleaseError, match=re.escape(f"expected v{VERSION}")):
        release.check_tag(checkout, "v99.0.0")
    with pytest.raises(ReleaseError, match="unreleased"):
        release.check_tag(checkout, f"v{VERSION}")
    (checkout / "CHANGELOG.md").write_text(changelog.MARK, "utf-8")
    with pytest.raises(ChangelogError, match="no section"):
        release.check_tag(checkout, f"v{VERSION}")


# The changelog


def test_every_fragment_is_in_the_draft_once() -> None:
    command = [sys.executable, "tools/changelog.py"]
    draft = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout.decode("utf-8")
    written = sorted((REPOSITORY / "changelog.d").glob("*.*.md"))
    for path in written:
        assert 1 == draft.count(f"- {' '.join(path.read_text('utf-8').split())}\n"), path.name
    assert len(written) == draft.count("\n- ")
    headings = re.findall(r"^### (.*)$", draft, re.M)
    assert [heading for heading in KINDS.values() if heading in headings] == headings


@pytest.mark.parametrize("has_fragment", [False, True])
def test_the_section_of_the_first_release_is_written_by_hand(checkout: Path, has_fragment: bool) -> None:
    """It gets its day, and what changed since it was written stands at its end."""
    for path in (checkout / "changelog.d").glob("*.*.md"):
        path.unlink()
    by_hand = changelog.released(checkout, VERSION)
    if has_fragment:
        with_fragment(checkout)
    release.prepare(checkout, VERSION, DAY)
    dated = by_hand.replace("(unreleased)", "(2026-11-16)")
    added = "\n### Fixed\n\n- Something is mended.\n" if has_fragment else ""
    assert dated + added == changelog.released(checkout, VERSION)
    release.check_tag(checkout, f"v{VERSION}")


def test_a_release_moves_the_fragments_above_older_releases(checkout: Path) -> None:
    with_fragment(checkout)
    release.prepare(checkout, "77.0.0", DAY)
    assert [checkout / "changelog.d" / "README.md"] == list((checkout / "changelog.d").iterdir())
    (checkout / "changelog.d" / "next.fixed.md").write_text("The next one is mended.", "utf-8")
    release.prepare(checkout, "77.0.1", DAY)
    text = (checkout / "CHANGELOG.md").read_text("utf-8")
    assert ["77.0.1 (2026-11-16)", "77.0.0 (2026-11-16)"] == re.findall(r"^## (.*)$", text, re.M)[:2]
    newest = "## 77.0.1 (2026-11-16)\n\n### Fixed\n\n- The next one is mended.\n\n"
    assert newest == changelog.released(checkout, "77.0.1")
    with pytest.raises(ChangelogError, match="nothing to release"):
        release.prepare(checkout, "77.0.2", DAY)


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("x.mended.md", "It is mended.", "x.mended.md: expected the name"),
        ("x.md", "It is mended.", "x.md: expected the name"),
        ("x.fixed.md", "", "got 0"),
        ("x.fixed.md", "One. Two. Three.", "got 3"),
        ("x.fixed.md", "One. Two, with `a. b. c` in it. And no end", "got 3"),
    ],
)
def test_a_fragment_of_no_kind_or_length_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / name).write_text(text, "utf-8")
    with pytest.raises(ChangelogError, match=said):
        changelog.fragments(tmp_path)


# The archives. `make release-check` builds and installs real ones; here are made ones, right and wrong.


def metadata(**changed: str) -> str:
    fields = {"Name": "truebleu", "Version": VERSION, "Summary": "s", "Author": "a", "Keywords": "k", "Classifier": "c"}
    fields |= {
        "License-Expression": PROJECT["license"],
        "License-File": "LICENSE",
        "Requires-Python": ">=3.11",
    } | changed
    urls = "".join(f"Project-URL: {name}, https://example.org\n" for name in sorted(release_check.NEEDED_URLS))
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value) + urls + "\nA description.\n"


def test_links_to_files_beside_the_readme_become_whole_addresses() -> None:
    text = "[a](docs/a.md#b) ![c](docs/img/c.png) [d](https://d.org) [e](#e)"
    whole = release.whole_links(text)
    assert whole == (
        "[a](https://github.com/truebleu/truebleu/blob/main/docs/a.md#b) "
        "![c](https://raw.githubusercontent.com/truebleu/truebleu/main/docs/img/c.png) [d](https://d.org) [e](#e)"
    )
    assert whole == release.whole_links(whole)


Change = Callable[[dict[str, bytes]], object]


def licences(home: str) -> dict[str, bytes]:
    return {f"{home}{name}": (REPOSITORY / name).read_bytes() for name in release_check.LICENCES}


def make_wheel(folder: Path, change: Change = len) -> Path:
    home = f"truebleu-{VERSION}.dist-info/"
    files = {name: b"" for name in [*release_check.tracked("python"), "truebleu/_core.abi3.so", f"{home}RECORD"]}
    files |= {f"{home}METADATA": metadata().encode(), **licences(f"{home}licenses/")}
    change(files)
    path = folder / f"truebleu-{VERSION}-cp311-abi3-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def make_sdist(folder: Path, change: Change = len) -> Path:
    names = {f"python/{name}" for name in release_check.tracked("python")}
    names |= release_check.tracked_as(release_check.IN_SDIST) | {"pyproject.toml"}
    files = {name: b"" for name in names}
    files |= {"PKG-INFO": metadata().encode(), **licences("")}
    change(files)
    path = folder / f"truebleu-{VERSION}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"truebleu-{VERSION}/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize("make", [make_wheel, make_sdist])
def test_an_archive_with_all_its_files_passes(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    release_check.look(make(tmp_path))


HOME = f"truebleu-{VERSION}.dist-info"
WRONG: list[tuple[Change, str]] = [
    (lambda files: files.update({"truebleu/notes.txt": b""}), "truebleu/notes.txt slipped in"),
    (lambda files: files.update({"truebleu/scratch.py": b""}), "truebleu/scratch.py slipped in"),
    (lambda files: files.update({"tests/test_x.py": b""}), "tests/test_x.py slipped in"),
    (lambda files: files.pop("truebleu/demo/en-de.jsonl"), "truebleu/demo/en-de.jsonl +missing"),
    (lambda files: files.pop("truebleu/_core.abi3.so"), "expected one of truebleu/_core"),
    (lambda files: files.update({"truebleu/_core.pyd": b""}), "expected one of truebleu/_core"),
    (lambda files: files.pop(f"{HOME}/licenses/LICENSE"), "LICENSE is not the LICENSE"),
    (lambda files: files.pop(f"{HOME}/licenses/LICENSE-WORDNET"), "is not the LICENSE-WORDNET"),
    (lambda files: files.update({f"{HOME}/METADATA": metadata(Version="9.9.9").encode()}), "of truebleu 9.9.9"),
    (lambda files: files.update({f"{HOME}/METADATA": metadata(Author="").encode()}), "lack Author"),
    (lambda files: files.update({f"{HOME}/METADATA": b""}), "the metadata are of None"),
    (lambda files: files.update({"truebleu/_core.abi3.so": bytes(3_000_001)}), "at most 3,000,000"),
]


@pytest.mark.parametrize("change, said", WRONG)
def test_a_wrong_wheel_is_refused_in_words(tmp_path: Path, change: Change, said: str) -> None:
    with pytest.raises(ReleaseError, match=said):
        release_check.look(make_wheel(tmp_path, change))


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda files: files.update({"tests/conftest.py": b""}), "tests/conftest.py slipped in"),
        (lambda files: files.update({"python/truebleu/_core.abi3.so": b""}), "_core.abi3.so slipped in"),
        (lambda files: files.pop("Cargo.lock"), "Cargo.lock +missing"),
        (lambda files: files.pop("crates/core/src/lib.rs"), "crates/core/src/lib.rs +missing"),
    ],
)
def test_a_wrong_source_archive_is_refused_in_words(tmp_path: Path, change: Change, said: str) -> None:
    with pytest.raises(ReleaseError, match=said):
        release_check.look(make_sdist(tmp_path, change))


def test_an_archive_of_another_version_or_none_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "truebleu-9.9.9-cp311-abi3-any.whl"
    with pytest.raises(ReleaseError, match="no such file"):
        release_check.look(other)
    make_wheel(tmp_path).rename(other)
    with pytest.raises(ReleaseError, match=f"expected the name truebleu-{re.escape(VERSION)}"):
        release_check.look(other)
    broken = tmp_path / f"truebleu-{VERSION}.tar.gz"
    broken.write_bytes(b"no archive")
    with pytest.raises(ReleaseError, match="cannot be read"):
        release_check.look(broken)


def test_the_path_for_the_wheel_has_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "rust").mkdir()
    shutil.copy(shutil.which("true") or sys.executable, tmp_path / "rust" / "cargo")
    assert "/a:/b" == release_check.without_rust(f"/a:{tmp_path / 'rust'}:/b")


# What GitHub reads. `make lint` holds these files against their schemas.


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            yield path.name, job
            for step in job.get("steps", []):
                yield path.name, step


def test_every_action_is_pinned_by_the_hash_of_a_commit() -> None:
    used = [(name, step["uses"]) for name, step in steps() if "uses" in step]
    assert used
    for name, action in used:
        assert re.fullmatch(r"\./\.github/workflows/\w+\.yml|[\w./-]+@[0-9a-f]{40}", action), (name, action)
    lines = [
        line for path in WORKFLOWS for line in path.read_text("utf-8").splitlines() if re.search(r"uses: .*@", line)
    ]
    assert all(re.search(r" # v\d+\.\d+\.\d+$", line) for line in lines)
    # One version of each action, so that a new one is taken everywhere.
    pins = {tuple(line.split("uses: ")[1].split("@")) for line in lines}
    assert len(pins) == len({action for action, _ in pins})


def test_workflows_may_only_read_but_for_what_publishes() -> None:
    granted = {}
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert {"contents": "read"} == workflow["permissions"], path.name
        granted |= {
            f"{path.stem}/{name}": job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job
        }
    publish = {"contents": "read", "id-token": "write", "attestations": "write"}
    pages = {"pages": "write", "id-token": "write"}
    assert {"release/publish": publish, "release/announce": {"contents": "write"}, "docs/publish": pages} == granted


def test_no_input_from_elsewhere_is_pasted_into_a_script() -> None:
    for name, step in steps():
        assert "${{" not in step.get("run", ""), (name, step)
        if step.get("uses", "").startswith("actions/checkout@"):
            assert False is step["with"]["persist-credentials"], name


def test_a_release_needs_the_tag_the_tests_and_every_wheel() -> None:
    workflow = in_yaml(".github/workflows/release.yml")
    assert {"push": {"tags": ["v*"]}} == workflow[True]  # YAML reads `on` as a truth
    jobs = workflow["jobs"]
    assert {"tag", "ci", "wheels"} == set(jobs["publish"]["needs"])
    assert "pypi" == jobs["publish"]["environment"]["name"]
    built = in_yaml(".github/workflows/wheels.yml")["jobs"]["wheel"]["strategy"]["matrix"]["include"]
    platforms = {
        f"{system}-{processor}"
        for system in ("linux", "musl", "macos", "windows")
        for processor in ("x86_64", "aarch64")
    }
    assert platforms == {one["name"] for one in built}
    counted = next(step["run"] for step in jobs["publish"]["steps"] if "run" in step)
    assert f'= "{len(built)} 1"' in counted


def test_ci_calls_the_script_that_anybody_can_run_and_every_python() -> None:
    jobs = in_yaml(".github/workflows/ci.yml")["jobs"]
    assert "bash .ci/run" in jobs["check"]["steps"][-1]["run"]
    named = {one.rsplit(" ", 1)[1] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)}
    assert named <= {"3.11", *jobs["python"]["strategy"]["matrix"]["python"]}


def test_ci_audits_dependencies_and_tries_their_lowest_versions() -> None:
    jobs = in_yaml(".github/workflows/ci.yml")["jobs"]
    assert ["make audit", "make test-lowest"] == [jobs[name]["steps"][-1]["run"] for name in ("audit", "lowest")]
    bounds = [one for name in lowest.EXTRAS for one in PROJECT["optional-dependencies"][name]]
    pins = list(lowest.lowest())
    for one in (*PROJECT["dependencies"], *bounds):
        assert re.sub(r">=([\d.]+).*", r"==\1", one) in pins and ">=" in one


def test_pre_commit_has_the_versions_of_the_linters() -> None:
    pinned = dict(one.split("==") for one in PROJECT["optional-dependencies"]["dev"] if "==" in one)
    hooks = {repo["repo"].rsplit("/", 1)[-1]: repo.get("rev") for repo in in_yaml(".pre-commit-config.yaml")["repos"]}
    assert {
        "ruff-pre-commit": f"v{pinned['ruff']}",
        "check-jsonschema": pinned["check-jsonschema"],
        "local": None,
    } == hooks


def test_pre_commit_has_every_linter_of_make_lint() -> None:
    recipe = (REPOSITORY / "Makefile").read_text("utf-8").partition("\nlint: dev\n")[2].partition("\n\n")[0]
    called = set(re.findall(r"cargo (?:fmt|clippy)|ruff \w+|mypy|stubtest|oxlint|\$\(SCHEMA\)\.[\w-]+", recipe))
    assert {"cargo fmt", "cargo clippy", "ruff check", "ruff format", "mypy", "stubtest", "oxlint"} < called
    # As the hooks of other repositories are called.
    known = {
        "ruff check": "ruff-check",
        "ruff format": "ruff-format",
        "$(SCHEMA).github-workflows": "check-github-workflows",
    }
    known |= {"$(SCHEMA).dependabot": "check-dependabot"}
    text = (REPOSITORY / ".pre-commit-config.yaml").read_text("utf-8")
    missing = [one for one in called if known.get(one, one.replace("$(SCHEMA)", "vendor")) not in text]
    assert [] == missing


def test_dependabot_looks_after_everything_that_is_pinned() -> None:
    ecosystems = {one["package-ecosystem"] for one in in_yaml(".github/dependabot.yml")["updates"]}
    assert {"github-actions", "cargo", "pip"} == ecosystems


def test_a_new_version_of_an_oracle_is_a_decision_and_not_a_proposal() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    blocks = re.findall(r'# The oracles?\b.*\n((?: *"[^"]+",\n)+)', text)
    oracles = {name for block in blocks for name in re.findall(r'"([\w-]+)==', block)}
    assert {"sacrebleu", "nltk", "rouge-score", "jiwer", "rapidfuzz", "mweralign"} == oracles
    (pip,) = (one for one in in_yaml(".github/dependabot.yml")["updates"] if one["package-ecosystem"] == "pip")
    assert oracles <= {one["dependency-name"] for one in pip["ignore"]}


def test_the_citation_is_that_of_the_package() -> None:
    citation = in_yaml("CITATION.cff")
    assert [author["name"] for author in PROJECT["authors"]] == [author["name"] for author in citation["authors"]]
    # The licence of WordNet's data is no licence of the work that is cited.
    assert PROJECT["license"].startswith(f"{citation['license']} AND ")
    assert PROJECT["urls"]["Source"] == citation["repository-code"]
    assert "1.2.0" == citation["cff-version"] and set(citation["keywords"]) <= set(PROJECT["keywords"])


@pytest.mark.parametrize("name", ["1-wrong-score", "2-bug", "3-idea"])
def test_issue_forms_ask_for_something(name: str) -> None:
    form = in_yaml(f".github/ISSUE_TEMPLATE/{name}.yml")
    questions = [one for one in form["body"] if one["type"] != "markdown"]
    assert len(questions) == len({one["id"] for one in questions})
    assert any(one["validations"]["required"] for one in questions)


def test_links_between_the_files_of_the_community_lead_somewhere() -> None:
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", ".github/PULL_REQUEST_TEMPLATE.md"):
        text = (REPOSITORY / name).read_text("utf-8")
        for path in re.findall(r"[\w./-]+\.(?:md|yml|toml)\b", re.sub(r"https?://\S+", "", text)):
            assert (REPOSITORY / path).is_file(), (name, path)
