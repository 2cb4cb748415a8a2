"""The SSRF guard: webhooks go to public addresses only.

A webhook makes the service send requests to a URL that a player chose. It must not reach
what only the service can reach: this machine, its network, a cloud's metadata service. The
name is resolved for each request, and the connection is made to the very address that was
checked, so that DNS rebinding has no effect.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

MAX_URL_LENGTH: Final = 2000

#: Networks without public addresses; some Python versions count parts of them as global.
_PRIVATE_NETWORKS: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        # With those that embed an IPv4 address: mapped, compatible, translated, 6to4, Teredo.
        *("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23"),
        *(
            "2001:db8::/32",
            "2002::/16",
            "3fff::/20",
            "5f00::/16",
            "fc00::/7",
            "fe80::/10",
            "fec0::/10",
            "ff00::/8",
        ),
    )
)
#: All global IPv6 unicast addresses begin with 001.
_IPV6_GLOBAL: Final = ipaddress.ip_network("2000::/3")

_HOST: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*"
)
_PATH: Final = re.compile(r"[\x21-\x7e]*")
#: Names that are never in the public DNS (RFC 6761, 6762, 8375, and common names of home networks).
_PRIVATE_NAMES: Final = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "home.arpa",
    "test",
    "invalid",
    "onion",
)


class TargetForbidden(ValueError):  # noqa: N818 - a refusal is not an error of the service
    """Requests to this target are forbidden; the message says why."""


#: What an operator sets to try webhooks on their own machine.
_FOR_DEVELOPMENT: Final = "An operator allows them for development by WEBHOOK_PRIVATE_TARGETS=true."


def is_public(address: str) -> bool:
    """Return whether an IP address is public."""
    # A zone index marks a link-local address.
    if "%" in address:
        return False
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if any(parsed in network for network in _PRIVATE_NETWORKS if network.version == parsed.version):
        return False
    return isinstance(parsed, ipaddress.IPv4Address) or parsed in _IPV6_GLOBAL


def check_url(url: str, *, private: bool = False) -> None:
    """Raise TargetForbidden for a URL that is invalid or not public, before any name lookup.

    `private` is for development: it allows http and private addresses.
    """
    if len(url) > MAX_URL_LENGTH or not _PATH.fullmatch(url):
        raise TargetForbidden(
            f"Send a URL of at most {MAX_URL_LENGTH} ASCII characters, with spaces and others encoded."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise TargetForbidden("This is not a URL.") from None
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise TargetForbidden(
            "Send an https URL: notifications are confidential. An operator allows http for development by "
            "WEBHOOK_PRIVATE_TARGETS=true."
        )
    if parts.username is not None or parts.password is not None or "#" in url:
        raise TargetForbidden("Send a URL without user, password or fragment.")
    if port == 0:
        raise TargetForbidden("Port 0 is not allowed.")
    _check_host(host, private=private)


def _check_host(host: str, *, private: bool) -> None:
    if ":" in host or _is_number(host):
        if not private and not is_public(host):
            raise TargetForbidden(
                f"Send a public address: private networks are not allowed. {_FOR_DEVELOPMENT}"
            )
        return
    if not _HOST.fullmatch(host):
        raise TargetForbidden("This is not a host name; write international names as xn--...")
    is_private = any(host == name or host.endswith(f".{name}") for name in _PRIVATE_NAMES)
    if not private and (is_private or "." not in host):
        raise TargetForbidden(
            f"Send a public host name: names of private networks are not allowed. {_FOR_DEVELOPMENT}"
        )


def _is_number(host: str) -> bool:
    """Return whether the C library reads the host as an IPv4 address, such as 127.1 or 0x7f000001."""
    try:
        socket.inet_aton(host)
    except OSError:
        return False
    return True


def resolve_addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host from the system's resolver; raise OSError if there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def check_addresses(addresses: Sequence[str], *, private: bool = False) -> Sequence[str]:
    """Return the addresses; raise TargetForbidden if one of them is not public."""
    if not private and not all(map(is_public, addresses)):
        raise TargetForbidden("The name resolves to a private address.")
    return addresses
