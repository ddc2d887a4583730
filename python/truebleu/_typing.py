"""What `typing` offers at run time, without its price: to import it takes a tenth of the time of a small command.

Nobody looks at annotations here, so a module needs a name of `typing` only to exist. Type checkers are told that
these are the same. A module that a plain score or `--help` loads takes them from here, and others from `typing`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO as IO
    from typing import Any as Any
    from typing import BinaryIO as BinaryIO
    from typing import ClassVar as ClassVar
    from typing import Generic as Generic
    from typing import NoReturn as NoReturn
    from typing import TypeVar as TypeVar
    from typing import cast as cast
    from typing import overload as overload
else:

    class Generic:
        """A class that may be given types in brackets, which it forgets."""

        __slots__ = ()

        def __class_getitem__(cls, types):
            return cls

    IO = ClassVar = Generic
    Any = BinaryIO = NoReturn = object

    def TypeVar(name, *constraints, bound=None):
        """A type that stands for any: nothing looks at it."""
        return object

    def cast(kind, value):
        """The value."""
        return value

    def overload(function):
        """The function, which the one that follows replaces."""
        return function
