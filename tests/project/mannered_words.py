"""Count the words that our prose avoids, file by file.

    python -m tests.project.mannered_words

Prose is what people read: pages, comments, docstrings and messages of service, workers and deploy.
Names in code do not count. `test_prose.py` keeps the sum below its limit.
"""

import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LIMIT: Final = 40

#: Each stands for a plainer word: shows, returns, no player, the caller, recomputed, again, zero, they.
WORDS: Final = re.compile(
    r"\b(told|tells?|telling|nobody|somebody|whoever|reckon(?:s|ed|ing)?|anew|nought|so many"
    r"|he|him|his|himself|hangs on|lets go)\b",
    re.IGNORECASE,
)
FOLDERS: Final = ("service", "workers", "deploy", "openapi")
SUFFIXES: Final = {".py", ".md", ".lua", ".js", ".html", ".css"}


def pages() -> Iterator[Path]:
    """Yield every file with prose: the folders' and the pages at the top."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in FOLDERS:
        yield from sorted(
            path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file()
        )


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of prose in a file, each with its number."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def found() -> Iterator[tuple[Path, int, str]]:
    """Yield each word that should be another: its file, its line and the word."""
    for path in pages():
        for number, line in prose(path):
            for word in WORDS.findall(line):
                yield path.relative_to(ROOT), number, word.lower()


def main() -> int:
    """Print where the words stand, then how often each; return 1 at the limit and above it."""
    words = list(found())
    for path, number, word in words:
        print(f"{path}:{number}: {word}")
    for word, count in Counter(word for _, _, word in words).most_common():
        print(f"{count:5} {word}")
    print(f"{len(words):5} in all, {LIMIT} are too many")
    return int(len(words) >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
