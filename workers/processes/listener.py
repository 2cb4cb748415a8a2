"""Opens the listening socket of the API.

`rummy500 run` imports this without gunicorn and Flask, which would double the time of its start.
"""

import errno
import os
import socket

from service.config import Settings
from workers.errors import CannotStart

BACKLOG = 2048


def listen(settings: Settings) -> socket.socket:
    """Open the listening socket; raises CannotStart when the address is not available."""
    where = f"{settings.bind} port {settings.port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.bind, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except socket.gaierror:
        raise CannotStart(f"BIND is not an address of this machine: {settings.bind}.") from None
    except PermissionError:
        raise CannotStart(
            f"Cannot listen at {where} (permission denied); set PORT to 1024 or more."
        ) from None
    except OSError as error:
        raise CannotStart(_why_not(error, where)) from None


def _why_not(error: OSError, where: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Another program already listens at {where}; stop it, or set PORT to a free port."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"Cannot listen at {where}; set BIND to an address of this machine."
    return f"Cannot listen at {where} ({os.strerror(error.errno or 0)})."
