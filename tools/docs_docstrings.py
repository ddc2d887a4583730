"""What griffe reads, made ready for Markdown: examples and literal blocks of docstrings, and names in stubs."""

from __future__ import annotations

import re
from typing import Any

import griffe

# A paragraph that begins with a prompt, to the next empty line.
_EXAMPLE = re.compile(r"(?:(?<=\n\n)|\A)(?P<margin> *)>>> .*?(?=\n\s*\n|\Z)", re.S)
# The mark of a literal block in a line of its own, or at the end of a sentence.
_LITERAL = re.compile(r"^::\n|:(?=:\n\n)", re.M)


class Readable(griffe.Extension):
    """Mends the text of each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Mend the docstring of one object.

        Parameters
        ----------
        obj
            A module, class, function or attribute.
        """
        if obj.docstring is not None:
            obj.docstring.value = mended(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Say that packages export the names in their stubs, so that those are followed to where they are defined.

        Parameters
        ----------
        pkg
            The package, with all its modules.
        """
        for module in (pkg, *pkg.modules.values()):
            if module.exports is None:
                module.exports = [name for name, member in module.members.items() if member.is_alias]


def mended(text: str) -> str:
    """Put fences around examples, and take the marks of literal blocks away.

    >>> print(mended("One.\\n\\n>>> 1 + 1\\n2\\n\\nTwo."))
    One.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    Two.

    Parameters
    ----------
    text
        A docstring without its margin.
    """
    fenced = _EXAMPLE.sub(lambda found: f"{found['margin']}```pycon\n{found[0]}\n{found['margin']}```", text)
    return _LITERAL.sub("", fenced)
