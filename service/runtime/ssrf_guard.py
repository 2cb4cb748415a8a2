"""Where a webhook may go: to an address that everybody can reach, and to no other.

Whoever makes a webhook has us send a request to a place of his choice. It must not be one
that only we can reach: this machine, its network, the address where a cloud tells its
secrets. What a name stands for is looked up when something is sent, and the connection is
made to the very address that was checked, so that a name cannot change its mind in between.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

MAX_URL_LENGTH: Final = 2000

#: What is nobody's public address, though ipaddress counts some of it as global, by version.
_CLOSED: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        # Among them those that carry an IPv4 address within: mapped, compatible, translated, 6to4, Teredo.
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
#: IPv6 addresses that are given out to anybody all begin with 001.
_IPV6_GIVEN_OUT: Final = ipaddress.ip_network("2000::/3")

_HOST: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*"
)
_PATH: Final = re.compile(r"[\x21-\x7e]*")
#: Names that are never in the public DNS (RFC 6761, 6762, 8375 and what networks use at home).
_CLOSED_NAMES: Final = (
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


class TargetForbidden(ValueError):  # noqa: N818 - as all our refusals
    """Nothing is sent there; the sentence says why."""


def is_public(address: str) -> bool:
    """Tell whether an IP address is one that everybody can reach."""
    # An interface's name behind % says that it is a local one.
    if "%" in address:
        return False
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if any(parsed in network for network in _CLOSED if network.version == parsed.version):
        return False
    return isinstance(parsed, ipaddress.IPv4Address) or parsed in _IPV6_GIVEN_OUT


def check_url(url: str, *, private: bool = False) -> None:
    """Raise TargetRefused for a URL that nothing can be sent to, whatever its name stands for.

    `private` is for development: http is allowed, and so are addresses of one's own network.
    """
    if len(url) > MAX_URL_LENGTH or not _PATH.fullmatch(url):
        raise TargetForbidden(
            f"Send a URL of {MAX_URL_LENGTH} characters at most, without spaces; encode all but ASCII."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise TargetForbidden("This is no URL.") from None
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise TargetForbidden("Send an https URL: what is sent is for you alone.")
    if parts.username is not None or parts.password is not None or "#" in url:
        raise TargetForbidden("Send a URL without user, password or fragment.")
    if port == 0:
        raise TargetForbidden("There is no port 0.")
    _check_host(host, private=private)


def _check_host(host: str, *, private: bool) -> None:
    if ":" in host or _is_number(host):
        if not private and not is_public(host):
            raise TargetForbidden(
                "This address cannot be reached by everybody: nothing is sent to private networks."
            )
        return
    if not _HOST.fullmatch(host):
        raise TargetForbidden("This is no host name; names with other letters are written as xn--...")
    closed = any(host == name or host.endswith(f".{name}") for name in _CLOSED_NAMES)
    if not private and (closed or "." not in host):
        raise TargetForbidden("This name means something in a private network only: nothing is sent there.")


def _is_number(host: str) -> bool:
    """Tell whether the C library would take the host for an IPv4 address, as it does 127.1 and 0x7f000001."""
    try:
        socket.inet_aton(host)
    except OSError:
        return False
    return True


def resolve_addresses(host: str, port: int) -> list[str]:
    """Return the addresses a host stands for now, as the system knows them; raise OSError without any."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def check_addresses(addresses: Sequence[str], *, private: bool = False) -> Sequence[str]:
    """Return the addresses; raise TargetRefused where one of them is not for everybody."""
    if not private and not all(map(is_public, addresses)):
        raise TargetForbidden("The name stands for a private address.")
    return addresses
