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
    "deal_state",
    "legal_takes",
    "deal",
    "legal_plays",
    "scoring",
    "laying",
    "rollout",
    "random_play",
    "determinization",
)
#: The modules of the rules that they import: the compiler may copy their constants.
RULES_MODULES: Final = ("cards", "melds", "scoring", "variants")
_ROOT: Final = Path(__file__).resolve().parents[3]
#: In a checkout; an installed package has none there and uses plain Python.
FOLDER: Final = _ROOT / "build" / "simulator"
#: Names the version of the compiler.
LOCK: Final = Path("deploy", "locks", "requirements-compile.lock")


def digest() -> str:
    """Return the digest of what a compiled build is made of: sources, compiler, and this Python."""
    made_of = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.platform}".encode())
    for path in (
        *(Path(__file__).with_name(f"{module}.py") for module in COMPILED_MODULES),
        *(_ROOT / "service" / "rummy" / f"{module}.py" for module in RULES_MODULES),
        _ROOT / LOCK,
    ):
        made_of.update(path.read_bytes())
    return made_of.hexdigest()


def is_compiled() -> bool:
    """Return whether there is a compiled build and it is up to date."""
    note = FOLDER / "digest"
    return note.is_file() and note.read_text() == digest()
