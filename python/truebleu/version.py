"""The version of truebleu, which `Cargo.toml` says and the native module was built with."""

from truebleu._core import VERSION

__version__ = VERSION
