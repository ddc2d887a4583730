"""Modules of the Rust core know only modules below them, the border has no cycle, and Rust files look alike.

The graph is read from the paths in the sources, so that no compiler is needed. Code that only tests and fuzz
targets compile is left out: a test may compare anything with anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[1] / "crates"
CORE = CRATES / "core" / "src"

# The lowest comes first. Modules of one line do not know each other.
LAYERS = (
    ("cells", "halt", "mixing", "windows1252"),
    ("threads", "interner", "pattern", "wordnet"),
    ("unicode", "resegment", "agreement", "keys", "records"),
    ("text", "utf8", "normalize", "cuts"),
    ("prepare", "lines"),
    ("symbols", "edit", "align", "features", "lcs"),
    ("ngram", "overlap"),
    ("numbering", "batch", "kernels"),
    ("metric", "matching"),
    ("segments",),
    ("tokens", "matrix"),
    ("metrics",),
    ("any_metric", "resample"),
)
HEIGHT = {module: height for height, layer in enumerate(LAYERS) for module in layer}

_TEST_MODULE = re.compile(r"#\[cfg\((?:test|any\(test, fuzzing\))\)\]\s*(?:pub(?:\(\w+\))?\s+)?mod\s+(\w+)\s*([{;])")
_PATH = re.compile(r"\b(crate|super(?:\s*::\s*super)*)\s*::\s*(?:(\w+)|\{([^;]*?)\}\s*;)", re.DOTALL)


def test_every_module_of_the_core_has_a_layer() -> None:
    assert set(HEIGHT) == set(_graph(_sources(CORE)))


def test_no_module_of_the_core_knows_one_above_it() -> None:
    graph = _graph(_sources(CORE))
    wrong = [f"{user} uses {used}" for user in graph for used in graph[user] if HEIGHT[used] >= HEIGHT[user]]
    assert [] == wrong


def test_the_modules_of_the_core_form_no_cycle() -> None:
    assert [] == _cycles(_graph(_sources(CORE)))


def test_the_modules_of_the_border_form_no_cycle() -> None:
    assert [] == _cycles(_graph(_sources(CRATES / "python" / "src")))


def test_modules_have_one_style() -> None:
    assert [] == sorted(CRATES.rglob("mod.rs")), "write foo.rs and foo/ in place of foo/mod.rs"


def test_no_line_of_rust_is_longer_than_120() -> None:
    long = [
        f"{path.relative_to(CRATES)}:{number}: {len(line)}"
        for path in sorted(CRATES.rglob("*.rs"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert [] == long


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"a.rs": "use crate::b::C;", "b.rs": ""}, {"a": {"b"}, "b": set()}),
        ({"a.rs": "use crate::{b::{C, D}, c};", "b.rs": "", "c.rs": ""}, {"a": {"b", "c"}, "b": set(), "c": set()}),
        ({"a.rs": "fn f() { super::b::g() }", "b.rs": ""}, {"a": {"b"}, "b": set()}),
        ({"a.rs": "", "a/x.rs": "use super::Y;\nuse super::super::b;", "b.rs": ""}, {"a": {"b"}, "b": set()}),
        ({"a.rs": "// crate::b\n#[cfg(test)]\nmod tests {\n use crate::b;\n}", "b.rs": ""}, {"a": set(), "b": set()}),
        ({"a.rs": "#[cfg(test)]\nmod naive;", "a/naive.rs": "use crate::b;", "b.rs": ""}, {"a": set(), "b": set()}),
        (
            {"a.rs": "#[cfg(any(test, fuzzing))]\npub mod naive;", "a/naive.rs": "use crate::b;", "b.rs": ""},
            {"a": set(), "b": set()},
        ),
    ],
)
def test_paths_are_found_whatever_their_form(sources: dict[str, str], expected: dict[str, set[str]]) -> None:
    assert expected == _graph(sources)


def test_a_cycle_is_found() -> None:
    assert [["a", "b", "c", "a"]] == _cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})


def _sources(root: Path) -> dict[str, str]:
    files = (path for path in sorted(root.rglob("*.rs")) if path.name != "lib.rs")
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files}


def _graph(sources: dict[str, str]) -> dict[str, set[str]]:
    """The top-level modules that each top-level module uses, given the text of each file."""
    only_tests = {
        "/".join([*_module(file), match[1]])
        for file, text in sources.items()
        for match in _TEST_MODULE.finditer(text)
        if match[2] == ";"
    }
    graph: dict[str, set[str]] = {_module(file)[0]: set() for file in sources}
    for file, text in sources.items():
        module = _module(file)
        if "/".join(module) not in only_tests:
            graph[module[0]].update(name for name in _used(module, text) if name in graph and name != module[0])
    return graph


def _module(file: str) -> list[str]:
    return file.removesuffix(".rs").removesuffix("/mod").split("/")


def _used(module: list[str], text: str) -> Iterator[str]:
    """The top-level modules named in a file. Its tests stand at its end."""
    inline_tests = next((match.start() for match in _TEST_MODULE.finditer(text) if match[2] == "{"), len(text))
    code = re.sub(r"//[^\n]*", "", text[:inline_tests])
    for base, name, group in _PATH.findall(code):
        is_top = base == "crate" or base.count("super") == len(module)
        if is_top:
            yield from [name] if name else _first_names(group)


def _first_names(group: str) -> Iterator[str]:
    """What a group such as `a::{b, c}, d` begins with: a and d."""
    while "{" in group:
        group = re.sub(r"\{[^{}]*\}", "", group)
    yield from (part.strip().split("::")[0] for part in group.split(",") if part.strip())


def _cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """One way round each cycle that a search from the modules in order of name finds."""
    cycles, done = [], set()

    def visit(module: str, way: list[str]) -> None:
        if module in way:
            cycles.append([*way[way.index(module) :], module])
        elif module not in done:
            for used in sorted(graph[module]):
                visit(used, [*way, module])
            done.add(module)

    for module in sorted(graph):
        visit(module, [])
    return cycles
