"""Tuples with names, as `typing.NamedTuple` makes them, in a tenth of its time.

`typing` writes the source of a function for each class and compiles it, and a small score has waited for twenty of
them. Type checkers are told that it is the same. A module with such a class has `from __future__ import annotations`:
annotations are read for their names only.

>>> class Place(NamedTuple):
...     file: str
...     line: int = 1
>>> Place("a.txt"), Place("a.txt", line=2)._replace(file="b.txt")
(Place(file='a.txt', line=1), Place(file='b.txt', line=2))
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    class _Naming(type):
        """Makes a class of tuples from its annotations."""

        def __new__(meta, name, bases, body):
            fields = tuple(body.get("__annotations__", ()))
            if fields and bases:
                body["_fields"] = body["__match_args__"] = fields
                body["_field_defaults"] = {field: body[field] for field in fields if field in body}
                body.update({field: _tuplegetter(at, "") for at, field in enumerate(fields)})
            return super().__new__(meta, name, bases, {"__slots__": (), **body})

    class NamedTuple(tuple, metaclass=_Naming):
        """A tuple whose entries have names, and defaults if they were given."""

        _fields = ()
        _field_defaults = {}  # noqa: RUF012

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                more = {**cls._field_defaults, **named}
                rest = cls._fields[len(values) :]
                missing = [field for field in rest if field not in more]
                if missing or len(values) > len(cls._fields) or not named.keys() <= set(rest):
                    what = f"{missing[0]!r} is missing" if missing else "there are too many values"
                    raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}, and {what}")
                values = (*values, *(more[field] for field in rest))
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named):
            return type(self)(**{**self._asdict(), **named})

        __replace__ = _replace

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"
