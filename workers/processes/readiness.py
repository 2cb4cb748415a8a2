"""Checks that the Redis servers named by the settings answer."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.config import Settings, redact_url
from workers.errors import CannotStart

CONNECT_SECONDS = 3.0


def require_stores(settings: Settings) -> tuple[str, str]:
    """Return REDIS_URL and QUEUE_REDIS_URL after both servers have answered.

    Raises CannotStart if one does not, or if REDIS_URL is not set.
    """
    if settings.redis_url is None:
        raise CannotStart(
            "REDIS_URL is not set; name a Redis or Valkey server, or use `rummy500 run`, which starts one."
        )
    require_answer("REDIS_URL", settings.redis_url)
    queue_url = settings.queue_redis_url or settings.redis_url
    if queue_url != settings.redis_url:
        require_answer("QUEUE_REDIS_URL", queue_url)
    return settings.redis_url, queue_url


def require_answer(variable: str, url: str) -> None:
    """Raise CannotStart, with the variable's name but no secret, unless the server answers."""
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
        reason = "rejects the user or the password"
    except redis.BusyLoadingError:
        reason = "is still loading its data; try again in a moment"
    except redis.ConnectionError:
        reason = "cannot be reached"
    except redis.TimeoutError:
        reason = f"does not answer within {CONNECT_SECONDS:.0f} s"
    except redis.RedisError:
        reason = "does not respond like Redis"
    else:
        return
    # The client's message may contain the user of the URL, so it is not shown.
    raise CannotStart(f"{variable}: the server at {redact_url(url)} {reason}.")
