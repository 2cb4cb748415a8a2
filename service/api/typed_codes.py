"""Codes that people type: no letter is mistaken for a digit, and case, spaces and dashes do not matter.

Their alphabet is Crockford's base 32. The store knows a code only by its hash.
"""

import hashlib
import re
import secrets
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOKALIKES: Final = str.maketrans({"O": "0", "I": "1", "L": "1"})
#: Crockford's modulus: a prime above 32, so a wrong character and two exchanged ones always change the check.
_MODULUS: Final = 37


def new_code(*, groups: int, size: int) -> str:
    """Return a random code in groups, such as 7Q2M-XK9D-04FT: 5 random bits a character."""
    return _grouped("".join(secrets.choice(_ALPHABET) for _ in range(groups * size)), size)


def new_checked_code(*, groups: int, size: int) -> str:
    """Return a random code whose last character is a check of the others; see `has_valid_check`."""
    while True:
        digits = "".join(secrets.choice(_ALPHABET) for _ in range(groups * size - 1))
        check = _value(digits) % _MODULUS
        # Crockford has five characters more for checks, which are hard to type: other digits are drawn then.
        if check < len(_ALPHABET):
            return _grouped(digits + _ALPHABET[check], size)


def has_valid_check(code: str, *, length: int) -> bool:
    """Return whether a typed code has this length, and its last character is the check of the others.

    The others are read as a number in base 32; the check is the rest of its division by 37.
    """
    typed = _plain(code)
    return (
        len(typed) == length
        and set(typed) <= set(_ALPHABET)
        and _value(typed[:-1]) % _MODULUS == _ALPHABET.index(typed[-1])
    )


def hash_code(code: str) -> str:
    """Return the hash under which a code is stored, however it was typed."""
    return hashlib.sha256(_plain(code).encode()).hexdigest()


def _grouped(digits: str, size: int) -> str:
    return "-".join(digits[start : start + size] for start in range(0, len(digits), size))


def _plain(code: str) -> str:
    return re.sub(r"[\s-]", "", code).upper().translate(_LOOKALIKES)


def _value(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * len(_ALPHABET) + _ALPHABET.index(digit)
    return value
