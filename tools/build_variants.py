"""Write the table of Chinese characters that differ in Simplified and Traditional script, from Unicode's Unihan.

python tools/build_variants.py Unihan_Variants.txt

The file is in Unihan.zip of Unicode, and in Debian's package unicode-data. Pairs are taken in which the Traditional
character has one Simplified form and is not itself used in Simplified text: GB 2312 has the one and lacks the other.
"""

import re
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "python" / "truebleu" / "doctor" / "variants.txt"


def pairs(text: str) -> list[tuple[str, str]]:
    """Give the pairs of a Traditional and a Simplified character, sorted."""
    found = []
    for code, forms in re.findall(r"^U\+(\w+)\tkSimplifiedVariant\t(.*)$", text, re.MULTILINE):
        traditional = chr(int(code, 16))
        simplified = {chr(int(form[2:], 16)) for form in forms.split()}
        is_clear = len(simplified) == 1 and _has("gb2312", *simplified) and not _has("gb2312", traditional)
        if is_clear and _has("big5", traditional):
            found.append((traditional, simplified.pop()))
    return sorted(found)


def _has(charset: str, character: str) -> bool:
    try:
        character.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def main() -> None:
    """Read the file that is named, and write the table."""
    found = pairs(Path(sys.argv[1]).read_text("utf-8"))
    lines = ["".join(pair[side] for pair in found) for side in (0, 1)]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(found)} pairs")


if __name__ == "__main__":
    main()
