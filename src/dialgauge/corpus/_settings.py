"""How files are read: what is done with markup, repeated judgements, directions, and what may be left out."""

from collections.abc import Sequence
from typing import Literal

from pydantic import field_validator

from dialgauge.errors import InputError
from dialgauge.settings import Settings, refusing, setting

_PANEL = "Reading"


def _directions(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, equals, direction = text.rpartition("=")
        if not equals or not name or direction not in ("higher", "lower", "none"):
            raise InputError(f"--direction {text!r}: write DIMENSION=lower, DIMENSION=higher or DIMENSION=none")
        found[name] = direction
    return found


class ReadingSettings(Settings):
    """How a file of dialogues, summaries and judgements is read."""

    html: Literal["remove", "keep"] = setting("remove", "What to do with HTML in texts.", panel=_PANEL)
    repeats: Literal["refuse", "first", "last", "mean"] = setting(
        "refuse", "Which of several different values of the same rating counts.", panel=_PANEL
    )
    direction: dict[str, Literal["higher", "lower", "none"]] = setting(
        {},
        "Direction of a dimension: redundancy=lower, clarity=higher, category=none.",
        flag="--direction",
        metavar="NAME=DIRECTION",
        parse=_directions,
        panel=_PANEL,
    )
    allow_left_out: str = setting(
        "5%", "Share of the rows and of the judgements that may be left out: 20%, or all.", panel=_PANEL
    )

    @field_validator("allow_left_out")
    @classmethod
    def _is_share(cls, text: str) -> str:
        from dialgauge.corpus._account import parse_share

        with refusing():
            parse_share(text)
        return text
