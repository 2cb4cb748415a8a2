"""Log lines of every process: as text or as JSON, and without what nobody may read in them.

Tokens, codes, seeds and cards are left out in one place, when a line is written: whatever a message,
an argument or an exception holds, and whoever logs it. It is the second lock: nothing here means to log
such things. What stands for a player, a game or a job, an id, may be read.
"""

import logging
import re
import sys
from typing import Any, Final, TextIO

from pythonjsonlogger.json import JsonFormatter

REDACTED: Final = "[left out]"

#: A dot that travelled in a path may have been written out, even twice.
_DOT = r"(?:\.|%(?:25)*2[eE])"
_QUOTED = r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*\""""
#: The id of a job is as long as a secret, and the first thing that is looked for when a turn got lost.
_JOB = (
    r"(?:turn|think)-g[0-3][0-9a-f][0-9A-Za-z]{26}-[0-9]+-[0-9]+"
    r"|advice-j[0-9A-Za-z_-]{32}-[0-9]+"
    r"|webhook-msg_[0-9a-f]{32}-[0-9]+"
)
_SECRETS: Final = (
    # A token: a player's id, a dot, a secret. Anything as long as a secret by itself.
    re.compile(rf"p[0-9A-Za-z_-]{{1,64}}{_DOT}[0-9A-Za-z_-]{{20,}}"),
    re.compile(rf"(?<![0-9A-Za-z_-])(?!(?:{_JOB})(?![0-9A-Za-z_-]))[0-9A-Za-z_-]{{40,}}"),
    re.compile(r"(?i)(?<=bearer )\S+"),
    # A member, a parameter, an attribute by its name.
    re.compile(
        rf"(?i)\b(?:key|seed|token|secret|password|ticket|invite_code|spectator_code|stock|hands?)\b"
        rf"[\"']?\s*[=:]\s*(?:{_QUOTED}|[^&\s,;)\]}}]+)"
    ),
    # What a webhook is signed with.
    re.compile(r"whsec_\S+"),
    # The code of a device link.
    re.compile(r"(?<![\w-])(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}(?![\w-])"),
    # User and password in the URL of a server.
    re.compile(r"(?<=://)[^/\s@]*(?=@)"),
    # A card, but not within an id.
    re.compile(r"(?<![\w-])(?:[2-9TJQKA][CDHS]|X[1-4])(?![\w-])"),
)


def redact_secrets(line: str) -> str:
    """Return the line without tokens, codes, seeds and cards."""
    for secret in _SECRETS:
        line = secret.sub(REDACTED, line)
    return line


class _Text(logging.Formatter):
    """A line for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return redact_secrets(super().format(record))


class _Json(JsonFormatter):
    """A line for programs: one JSON object, with the members a record was given besides its message."""

    def __init__(self) -> None:
        super().__init__(
            ["levelname", "name", "process", "message"],
            rename_fields={"levelname": "level", "name": "logger"},
            timestamp="time",
            json_ensure_ascii=False,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Leave secrets out of every member, numbers and times apart."""
        kept = super().process_log_record(log_data)
        return {
            name: redact_secrets(value) if isinstance(value, str) else value for name, value in kept.items()
        }


def formatter(log_format: str) -> logging.Formatter:
    """Return what writes lines, as `text` or `json`."""
    return _Json() if log_format == "json" else _Text()


def configure(*, log_format: str, level: int, stream: TextIO | None = None) -> None:
    """Write what all of this process logs to one stream, standard error by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter(log_format))
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.captureWarnings(capture=True)
