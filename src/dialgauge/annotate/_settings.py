"""Where pages are served: the address that a server listens on, and the one that people see."""

from dialgauge.settings import Settings, Several, setting


class Listening(Settings):
    """Where a server listens."""

    host: str = setting(
        "127.0.0.1", "Address to listen on; 0.0.0.0 accepts connections from the network.", metavar="ADDRESS"
    )
    port: int = setting(8321, "Port to listen on; 0 picks a free one.", ge=0, le=65535)


class ServerSettings(Listening):
    """Where an annotation project is served, and what stands between it and the annotators."""

    public_url: str | None = setting(
        None, "Public URL, such as https://rate.example.org, if the server runs behind a proxy.", metavar="URL"
    )
    trusted_proxies: Several[str] = setting(
        (),
        "Address or network of a proxy whose X-Forwarded-For is believed.",
        flag="--trusted-proxy",
        metavar="ADDRESS",
    )
