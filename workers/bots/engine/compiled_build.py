"""Which build of the engine is used: the compiled one, if it was built from these sources."""

import hashlib
import sys
from pathlib import Path
from typing import Final

#: The modules that are compiled, each after those it imports.
COMPILED_MODULES: Final = (
    "card_bits",
    "rules",
    "melds",
    "player_state",
    "legal_takes",
    "deal",
    "legal_moves",
    "scoring",
    "laying",
    "rollout",
    "random_play",
    "determinization",
)
#: In a checkout; an installed package has none there and uses plain Python.
FOLDER: Final = Path(__file__).resolve().parents[3] / "build" / "simulator"


def digest() -> str:
    """Return the digest of what a compiled build is made of: these sources, for this Python."""
    made_of = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.platform}".encode())
    for module in COMPILED_MODULES:
        made_of.update(Path(__file__).with_name(f"{module}.py").read_bytes())
    return made_of.hexdigest()


def is_compiled() -> bool:
    """Return whether there is a compiled build and it is up to date."""
    note = FOLDER / "digest"
    return note.is_file() and note.read_text() == digest()
