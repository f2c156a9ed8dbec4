"""Where people reach the server, and which proxies may say who they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from urllib.parse import urlsplit

from dialgauge.errors import InputError

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class PublicUrl:
    """The address of the server as browsers know it."""

    scheme: str
    host: str
    port: int | None

    @property
    def origin(self) -> str:
        """As browsers write it: without the port that the scheme has anyway."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        plain = self.port is None or self.port == _PORTS[self.scheme]
        return f"{self.scheme}://{name}" + ("" if plain else f":{self.port}")


def public_url(text: str) -> PublicUrl:
    """A public URL, checked."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InputError(f"--public-url {text}: {error}") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise InputError(f"--public-url {text}: expected https://NAME or http://NAME")
    if parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise InputError(
            f"--public-url {text}: must be a whole host, like https://rate.example.org; give the study a host name of "
            "its own instead of a folder on a shared one"
        )
    return PublicUrl(parts.scheme, parts.hostname.lower(), port)


def trusted_proxies(given: Sequence[str]) -> list[str]:
    """The addresses and networks of proxies, checked. Never everyone: then every client could choose its address."""
    for one in given:
        try:
            network = ip_network(one)
        except ValueError as error:
            raise InputError(
                f"--trusted-proxy {one}: expected the address of the proxy, like 127.0.0.1, or its network, like "
                "172.18.0.0/16"
            ) from error
        if network.prefixlen == 0:
            raise InputError(f"--trusted-proxy {one}: would trust everyone; name the address of the proxy")
    return list(given)
