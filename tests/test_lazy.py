"""Names that are imported when they are first asked for."""

import gc
import re
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

import truebleu
from truebleu._lazy import attach

pytestmark = pytest.mark.interpreter

PACKAGE = Path(truebleu.__file__).parent
STUBS = {
    ".".join(("truebleu", *stub.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): stub
    for stub in PACKAGE.rglob("*.pyi")
    if stub.with_suffix(".py").is_file()
}


def test_a_name_is_imported_when_it_is_asked_for() -> None:
    # A module that nobody needs: under `make coverage`, those of coverage.py are there from the start.
    code = (
        "import sys; from truebleu._lazy import attach; get, names = attach('x', {'rgb_to_hsv': 'colorsys'})\n"
        "assert 'colorsys' not in sys.modules and ['rgb_to_hsv'] == names()\n"
        "assert (0.0, 0.0, 1.0) == get('rgb_to_hsv')(1.0, 1.0, 1.0) and 'colorsys' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error_that_names_the_module() -> None:
    get, _ = attach("truebleu.x", {})
    with pytest.raises(AttributeError, match=r"module 'truebleu\.x' has no attribute 'nothing'"):
        get("nothing")


@pytest.mark.parametrize("name", STUBS)
def test_every_lazy_name_is_there_and_listed(name: str) -> None:
    package, stub = import_module(name), STUBS[name].read_text("utf-8")
    names = re.findall(r"^from \S+ import (\w+) as \1$", stub, re.MULTILINE)
    assert stub.count("import") == len(names) > 0, "one line for each name: from HOME import NAME as NAME"
    for one in names:
        assert one in dir(package) and getattr(package, one) is not None
    modules = [one for one in names if f"from {name} import {one} as " in stub]
    if "__all__" not in vars(package):
        assert sorted({*names} - {*modules}) == sorted(package.__all__)


def test_a_stub_is_read_when_the_first_name_is_asked_for() -> None:
    code = (
        "import builtins, truebleu; opened = []; real = open\n"
        "builtins.open = lambda path, *more, **named: opened.append(path) or real(path, *more, **named)\n"
        "truebleu.__version__; truebleu.stats; truebleu.BLEU\n"
        "assert 1 == sum(str(path).endswith('truebleu/__init__.pyi') for path in opened), opened"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("is_enabled", [True, False])
@pytest.mark.parametrize("home", ["string", "truebleu.no_such_module"])
def test_the_collector_is_as_it_was_after_an_import(is_enabled: bool, home: str) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        with suppress(ModuleNotFoundError):
            attach("here", {"digits": home})[0]("digits")
        assert is_enabled == gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("name", [*STUBS, "truebleu.metrics"])
def test_names_that_a_module_imports_for_itself_are_not_listed(name: str) -> None:
    assert not {"TYPE_CHECKING", "attach", "offer", "sys"} & {*dir(import_module(name))}
