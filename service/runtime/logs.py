"""Log lines of every process, as text or as JSON, with secrets redacted.

Tokens, codes, seeds and cards are redacted when a line is written, wherever they come from: message,
arguments or exception. This is a second line of defence, as no code logs them on purpose. Ids of players,
games and jobs are no secrets.
"""

import logging
import re
import sys
from typing import Any, Final, TextIO

from pythonjsonlogger.json import JsonFormatter

REDACTED: Final = "[redacted]"

#: A dot in a path may be percent-encoded, even twice.
_DOT = r"(?:\.|%(?:25)*2[eE])"
_QUOTED = r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*\""""
#: The id of a job is as long as a secret, but operators need it to find a lost turn.
_JOB = (
    r"(?:turn|think)-g[0-3][0-9a-f][0-9A-Za-z]{26}-[0-9]+-[0-9]+"
    r"|advice-j[0-9A-Za-z_-]{32}-[0-9]+"
    r"|webhook-msg_[0-9a-f]{32}-[0-9]+"
)
_SECRETS: Final = (
    # A token: a player id, a dot, a secret. Then anything as long as a secret.
    re.compile(rf"p[0-9A-Za-z_-]{{1,64}}{_DOT}[0-9A-Za-z_-]{{20,}}"),
    re.compile(rf"(?<![0-9A-Za-z_-])(?!(?:{_JOB})(?![0-9A-Za-z_-]))[0-9A-Za-z_-]{{40,}}"),
    re.compile(r"(?i)(?<=bearer )\S+"),
    # Members, parameters and attributes, by name.
    re.compile(
        rf"(?i)\b(?:key|seed|token|secret|password|ticket|invite_code|spectator_code|write_key|stock|hands?)\b"
        rf"[\"']?\s*[=:]\s*(?:{_QUOTED}|[^&\s,;)\]}}]+)"
    ),
    # The signing secret of a webhook.
    re.compile(r"whsec_\S+"),
    # The code of a device link, and a recovery code.
    re.compile(r"(?<![\w-])(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}(?![\w-])"),
    re.compile(r"(?<![\w-])(?:[0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}(?![\w-])"),
    # User and password in a URL.
    re.compile(r"(?<=://)[^/\s@]*(?=@)"),
    # A card, but not inside an id.
    re.compile(r"(?<![\w-])(?:[2-9TJQKA][CDHS]|X[1-6])(?![\w-])"),
)


def redact_secrets(line: str) -> str:
    """Return the line with tokens, codes, seeds and cards redacted."""
    for secret in _SECRETS:
        line = secret.sub(REDACTED, line)
    return line


class _Text(logging.Formatter):
    """Lines for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return redact_secrets(super().format(record))


class _Json(JsonFormatter):
    """Lines for programs: a JSON object each, with the extra members of the record."""

    def __init__(self) -> None:
        super().__init__(
            ["levelname", "name", "process", "message"],
            rename_fields={"levelname": "level", "name": "logger"},
            timestamp="time",
            json_ensure_ascii=False,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Redact secrets in every text member."""
        kept = super().process_log_record(log_data)
        return {
            name: redact_secrets(value) if isinstance(value, str) else value for name, value in kept.items()
        }


def formatter(log_format: str) -> logging.Formatter:
    """Return the formatter of a log format, `text` or `json`."""
    return _Json() if log_format == "json" else _Text()


def configure(*, log_format: str, level: int, stream: TextIO | None = None) -> None:
    """Send all logs of this process to one stream, standard error by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter(log_format))
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.captureWarnings(capture=True)
