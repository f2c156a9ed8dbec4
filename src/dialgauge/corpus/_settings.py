"""How files are read: what is done with markup, repeated judgements, directions, and what may be left out."""

from typing import Literal, cast, get_args

from pydantic import ValidationInfo, field_validator

from dialgauge.corpus._types import Direction
from dialgauge.corpus._words import Words, parse_words
from dialgauge.errors import InputError
from dialgauge.settings import Settings, Several, refusing, setting

_PANEL = "Reading"


class ReadingSettings(Settings):
    """How a file of dialogues, summaries and judgements is read."""

    html: Literal["remove", "keep"] = setting("remove", "What to do with HTML in texts.", panel=_PANEL)
    repeats: Literal["refuse", "first", "last", "mean", "keep"] = setting(
        "refuse",
        "Which of several values of the same rating counts; keep: all, the second as that of ANNOTATOR#2.",
        panel=_PANEL,
    )
    directions: Several[str] = setting(
        (),
        "Direction of a dimension: redundancy=lower, category=none.",
        flag="--direction",
        panel=_PANEL,
    )
    scale_words: Several[str] = setting(
        (),
        "Words of a scale, the lowest first: poor<fair<good; of one dimension: fluency:poor<fair<good.",
        flag="--scale-words",
        panel=_PANEL,
    )
    not_given: Several[str] = setting(
        (),
        "Answers that mean that nothing was given, separated by commas: skip,99.",
        flag="--not-given",
        panel=_PANEL,
        parse=lambda given: tuple(word.strip() for text in given for word in text.split(",")),
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

    @field_validator("directions")
    @classmethod
    def _are_directions(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        with refusing():
            for text in given:
                name, _, direction = text.rpartition("=")
                if not name or direction not in get_args(Direction):
                    raise InputError(f"direction {text!r}: write DIMENSION=lower, DIMENSION=higher or DIMENSION=none")
        return given

    @field_validator("scale_words")
    @classmethod
    def _are_scales(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        with refusing():
            parse_words(given, ())
        return given

    @field_validator("not_given")
    @classmethod
    def _are_words(cls, given: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        with refusing():
            parse_words(info.data.get("scale_words", ()), given)
        return given

    def words(self) -> Words:
        """The words of scales and for "not given"."""
        return parse_words(self.scale_words, self.not_given)

    def allowed(self) -> float:
        """The share that may be left out."""
        from dialgauge.corpus._account import parse_share

        return parse_share(self.allow_left_out)

    def by_dimension(self) -> dict[str, Direction]:
        """The direction of each dimension that has one."""
        parted = (text.rpartition("=") for text in self.directions)
        return {name: cast(Direction, direction) for name, _, direction in parted}
