"""Where the pages of a run are served."""

from dialgauge.annotate import Listening
from dialgauge.settings import setting


class ExploreSettings(Listening):
    """Where a finished run is served."""

    host: str = setting(
        "127.0.0.1",
        "Address to listen on; 0.0.0.0 accepts connections from the network, without a login.",
        metavar="ADDRESS",
    )
    port: int = setting(8600, "Port to listen on; 0 picks a free one.", ge=0, le=65535)
