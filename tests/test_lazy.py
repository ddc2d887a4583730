"""Names that are imported when they are first asked for."""

import subprocess
import sys
from importlib import import_module

import pytest

from truebleu._lazy import attach


def test_a_name_is_imported_when_it_is_asked_for() -> None:
    code = (
        "import sys; from truebleu._lazy import attach; get, names = attach('x', {'dumps': 'json'})\n"
        "assert 'json' not in sys.modules and ['dumps'] == names()\n"
        "assert '[]' == get('dumps')([]) and 'json' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error_that_names_the_module() -> None:
    get, _ = attach("truebleu.x", {})
    with pytest.raises(AttributeError, match=r"module 'truebleu\.x' has no attribute 'nothing'"):
        get("nothing")


@pytest.mark.parametrize("name", ["truebleu", "truebleu.dataset", "truebleu.significance", "truebleu.utils"])
def test_every_lazy_name_is_there_and_listed(name: str) -> None:
    package = import_module(name)
    names = getattr(package, "__all__", None) or ["DATASETS", "SUBSETS", "get_source_file", "print_test_set"]
    for one in names:
        assert one in dir(package) and getattr(package, one) is not None
