"""Numbers with their nouns: the one home of singular and plural in messages."""


def number_of(number: int, one: str, more: str | None = None, *, commas: bool = False) -> str:
    """Give a number with its noun, in the singular or the plural.

    >>> number_of(1, "line"), number_of(2, "line"), number_of(0, "entry", "entries")
    ('1 line', '2 lines', '0 entries')
    >>> number_of(1, "segment has", "segments have"), number_of(1200, "segment has", "segments have", commas=True)
    ('1 segment has', '1,200 segments have')
    """
    words = one if number == 1 else f"{one}s" if more is None else more
    return f"{number:,} {words}" if commas else f"{number} {words}"


def there_are(number: int, one: str = "", more: str | None = None) -> str:
    """Say how many there are.

    >>> there_are(1, "reference"), there_are(2, "reference"), there_are(1)
    ('there is 1 reference', 'there are 2 references', 'there is 1')
    """
    return f"there {'is' if number == 1 else 'are'} {number_of(number, one, more) if one else number}"
