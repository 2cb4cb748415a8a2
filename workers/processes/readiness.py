"""Servers somebody else runs, and whether they answer."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.config import Settings, redact_url
from workers.errors import CannotStart

CONNECT_SECONDS = 3.0


def stores_must_answer(settings: Settings) -> tuple[str, str]:
    """Return REDIS_URL and QUEUE_REDIS_URL once both their servers have answered.

    Raises CannotStart otherwise, and where no server is named.
    """
    if settings.redis_url is None:
        raise CannotStart(
            "REDIS_URL is not set; name a Redis or Valkey server, or let `rummy500 run` bring its own."
        )
    must_answer("REDIS_URL", settings.redis_url)
    queue_url = settings.queue_redis_url or settings.redis_url
    if queue_url != settings.redis_url:
        must_answer("QUEUE_REDIS_URL", queue_url)
    return settings.redis_url, queue_url


def must_answer(variable: str, url: str) -> None:
    """Raise CannotStart, naming the variable but no secret, unless the server answers."""
    connection = redis.Redis.from_url(
        url,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=CONNECT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        with connection:
            connection.ping()
    except redis.AuthenticationError:
        reason = "refuses the user or the password"
    except redis.BusyLoadingError:
        reason = "is still loading its data; try again in a moment"
    except redis.ConnectionError:
        reason = "cannot be reached"
    except redis.TimeoutError:
        reason = f"does not answer within {CONNECT_SECONDS:.0f} s"
    except redis.RedisError:
        reason = "does not answer as Redis does"
    else:
        return
    # Only our own words: what the client says may repeat the URL's user.
    raise CannotStart(f"{variable}: the server at {redact_url(url)} {reason}.")
