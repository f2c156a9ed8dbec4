"""A port of our own, and uvicorn behind it."""

import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from dialgauge.annotate._public import trusted_proxies as checked_proxies
from dialgauge.annotate._shield import Application
from dialgauge.annotate._timeouts import raise_descriptor_limit, timed_protocol
from dialgauge.errors import InputError

if TYPE_CHECKING:
    import uvicorn


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """An open socket, and the address at which people reach it; port 0 chooses a free one."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # From here on clients wait instead of being refused: the address is printed before the server is ready.
        listening.listen(512)
    except OSError as error:
        raise InputError(f"port {port} of {host}: {error.strerror}; choose another with --port") from error
    everywhere = host in ("0.0.0.0", "::")
    shown = socket.gethostname() if everywhere else f"[{host}]" if ":" in host else host
    return listening, f"http://{shown}:{listening.getsockname()[1]}"


def make_server(app: Application, trusted_proxies: Sequence[str] = ()) -> "uvicorn.Server":
    """uvicorn with time limits. Only ``trusted_proxies`` may say from which address a request comes."""
    import uvicorn

    proxies = checked_proxies(trusted_proxies)
    config = uvicorn.Config(
        app,
        http=timed_protocol(),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        # People think for a minute between two saves; keeping the connection avoids a new one each time. Longer than
        # a proxy keeps idle connections (nginx: 60 s), which could otherwise use one that is just being closed.
        timeout_keep_alive=75,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
    )
    return uvicorn.Server(config)


def run_server(app: Application, listening: socket.socket, trusted_proxies: Sequence[str] = ()) -> None:
    """Serve an application until interrupted, which is how it ends and no failure."""
    raise_descriptor_limit()
    with suppress(KeyboardInterrupt):  # uvicorn has stopped in good order, and says by which signal
        make_server(app, trusted_proxies).run(sockets=[listening])
