"""A port of our own, and uvicorn behind it."""

import socket

from dialgauge.annotate._shield import Application
from dialgauge.errors import InputError


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


def run_server(app: Application, listening: socket.socket) -> None:
    """Serve an application until interrupted."""
    import uvicorn

    # People think for a minute between two saves; keeping the connection avoids a new one each time.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", timeout_keep_alive=75
    )
    uvicorn.Server(config).run(sockets=[listening])
