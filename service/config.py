"""Settings from the environment, read once and checked before anything starts."""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

MAX_PORT = 65_535
HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")

REDIS_SCHEMES = ("redis://", "rediss://", "unix://")

# Threads mostly wait (long-polls, streams), and an idle one costs about 33 KB.
DEFAULT_API_THREADS = 64
# Two processes keep the API answering while one is replaced; more than four gain little before
# Redis does the limiting.
MIN_DEFAULT_PROCESSES = 2
MAX_DEFAULT_PROCESSES = 4


class SettingError(ValueError):
    """A setting cannot be used.

    The message is one sentence for the person who starts the service, names the variable and
    never repeats a URL, which may hold a password.
    """

    def __init__(self, variable: str, message: str) -> None:
        super().__init__(f"{variable} {message}")
        self.variable = variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of the service.

    `trusted_proxies` is the number of reverse proxies in front of the API. `rate_limits` multiplies the
    usual limits; 0 switches them off. Without a `log_level` each process uses its own default. With a
    `metrics_token` the API's metrics require it; at a `metrics_port` the other processes serve theirs.
    `webhook_private_targets` is for development: it allows webhooks to private networks and over http.
    With a `vapid_private_key` browsers are woken by Web Push; `vapid_subject` is how push services reach the
    operator.

    Without a `redis_url`, `rummy500 run` starts its own server in `data_dir`, and the single processes
    refuse to start.
    """

    port: int
    bind: str
    data_dir: Path
    # Not in repr, which may reach a log: a URL may contain a password.
    redis_url: str | None = field(repr=False)
    queue_redis_url: str | None = field(repr=False)
    api_processes: int
    api_threads: int
    trusted_proxies: int
    rate_limits: float
    log_format: str
    log_level: str | None
    metrics_token: str | None = field(repr=False)
    metrics_port: int | None
    webhook_private_targets: bool = False
    vapid_private_key: str | None = field(default=None, repr=False)
    vapid_subject: str | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; a variable that is set but empty counts as not set.

        Raises SettingError for the first variable that cannot be used.
        """
        redis_url = _redis_url(environ, "REDIS_URL")
        return cls(
            # 0 asks the system for any free port, which `rummy500 run` then prints.
            port=_whole_number(environ, "PORT", default=8000, minimum=0, maximum=MAX_PORT),
            bind=_bind(environ),
            data_dir=_data_dir(environ),
            redis_url=redis_url,
            queue_redis_url=_redis_url(environ, "QUEUE_REDIS_URL") or redis_url,
            api_processes=_whole_number(
                environ, "API_PROCESSES", default=_default_processes(), minimum=1, maximum=64
            ),
            api_threads=_whole_number(
                environ, "API_THREADS", default=DEFAULT_API_THREADS, minimum=1, maximum=4096
            ),
            trusted_proxies=_whole_number(environ, "TRUSTED_PROXIES", default=0, minimum=0, maximum=16),
            rate_limits=_factor(environ, "RATE_LIMITS"),
            log_format=_one_of(environ, "LOG_FORMAT", "text", "json") or "text",
            log_level=_one_of(environ, "LOG_LEVEL", "debug", "info", "warning", "error"),
            metrics_token=_text(environ, "METRICS_TOKEN"),
            metrics_port=_whole_number(environ, "METRICS_PORT", default=0, minimum=0, maximum=MAX_PORT)
            or None,
            webhook_private_targets=_flag(environ, "WEBHOOK_PRIVATE_TARGETS"),
            vapid_private_key=_text(environ, "VAPID_PRIVATE_KEY"),
            vapid_subject=_vapid_subject(environ),
        )


def _text(environ: Mapping[str, str], variable: str) -> str | None:
    return environ.get(variable, "").strip() or None


def _whole_number(
    environ: Mapping[str, str], variable: str, *, default: int, minimum: int, maximum: int
) -> int:
    text = _text(environ, variable)
    if text is None:
        return default
    # Five digits are enough for every limit here; int() would also accept "1_000" and "٣".
    if not re.fullmatch(r"[0-9]{1,5}", text) or not minimum <= int(text) <= maximum:
        raise SettingError(variable, f"must be a whole number from {minimum} to {maximum}, not {text!r}.")
    return int(text)


def _one_of(environ: Mapping[str, str], variable: str, *values: str) -> str | None:
    text = _text(environ, variable)
    if text is not None and text not in values:
        raise SettingError(variable, f"must be one of: {', '.join(values)}, not {text!r}.")
    return text


def _factor(environ: Mapping[str, str], variable: str) -> float:
    text = _text(environ, variable)
    if text is None:
        return 1.0
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4})?", text):
        raise SettingError(variable, f"must be a number such as 1, 0.5 or 0, not {text!r}.")
    return float(text)


def _vapid_subject(environ: Mapping[str, str]) -> str | None:
    text = _text(environ, "VAPID_SUBJECT")
    if text is not None and not text.startswith(("mailto:", "https://")):
        raise SettingError("VAPID_SUBJECT", f"must begin with mailto: or https://, not {text!r}.")
    return text


def _flag(environ: Mapping[str, str], variable: str) -> bool:
    text = (_text(environ, variable) or "false").lower()
    if text not in {"true", "false"}:
        raise SettingError(variable, f"must be true or false, not {text!r}.")
    return text == "true"


def _bind(environ: Mapping[str, str]) -> str:
    text = _text(environ, "BIND")
    if text is None:
        return "127.0.0.1"
    try:
        return str(ipaddress.ip_address(text.removeprefix("[").removesuffix("]")))
    except ValueError:
        if HOST_NAME.fullmatch(text):
            return text
        raise SettingError(
            "BIND", f"must be an address or a host name such as 127.0.0.1, not {text!r}."
        ) from None


def _data_dir(environ: Mapping[str, str]) -> Path:
    text = _text(environ, "DATA_DIR")
    try:
        return Path(text or "data").expanduser().absolute()
    except RuntimeError:
        raise SettingError("DATA_DIR", f"names the home folder of an unknown user: {text!r}.") from None


def _redis_url(environ: Mapping[str, str], variable: str) -> str | None:
    text = _text(environ, variable)
    if text is None:
        return None
    expected = "must look like redis://host:6379/0, rediss://host:6379/0 or unix:///path/to/socket"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise SettingError(variable, f"{expected}.") from None
    named = parts.path if parts.scheme == "unix" else parts.hostname
    if not text.startswith(REDIS_SCHEMES) or not named or port == 0:
        raise SettingError(variable, f"{expected}.")
    return text


def redact_url(url: str) -> str:
    """Return a server's URL for log and terminal, without user, password and query."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}"
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"


def _default_processes() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(MIN_DEFAULT_PROCESSES, min(MAX_DEFAULT_PROCESSES, cores))
