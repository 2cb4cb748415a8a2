"""Display names: they distinguish the seats of a table where players chose equal names."""

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=1024)
def display_names(names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """Return a name for each seat that no other seat of the table has; None for a seat without a name.

    The first seat keeps the name, the next ones get a number: "Ann", "Ann (2)". Names that differ only in
    case, or in how Unicode writes them, count as equal. A number in a chosen name is not used again.
    """
    taken: set[str] = set()
    repeated: list[int] = []
    shown = list(names)
    for seat, name in enumerate(names):
        if name is not None:
            if _folded(name) in taken:
                repeated.append(seat)
            taken.add(_folded(name))
    for seat in repeated:
        shown[seat] = _numbered(names[seat] or "", taken)
        taken.add(_folded(shown[seat] or ""))
    return tuple(shown)


def _numbered(name: str, taken: set[str]) -> str:
    count = 2
    while _folded(f"{name} ({count})") in taken:
        count += 1
    return f"{name} ({count})"


def _folded(name: str) -> str:
    """Return what equal-looking names have in common: no case, spaces or joiners."""
    letters = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in letters if letter.isprintable() and not letter.isspace())
