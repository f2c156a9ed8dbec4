"""The options of the commands that train on variants: where the variants and their ratings come from."""

from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_perturbation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dialgauge.learn import VariantOptions

VARIANTS = "Variants"

Perturbations = Annotated[
    list[str] | None,
    typer.Option(
        "--perturbation",
        "-p",
        help="Variants to make where the corpus has none; repeat. Default: baseline and domain.",
        autocompletion=complete_perturbation,
        rich_help_panel=VARIANTS,
    ),
]
Priors = Annotated[
    bool,
    typer.Option(
        "--priors",
        help="Accept published mean ratings for kinds of variants that nobody rated here.",
        rich_help_panel=VARIANTS,
    ),
]
Most = Annotated[
    int | None,
    typer.Option("--most", help="Train on at most so many variants of a family.", rich_help_panel=VARIANTS),
]


def variant_options(
    perturbations: "Sequence[str] | None", priors: bool, rounding: str, annotated: int | None, most: int | None
) -> "VariantOptions":
    """What these options say together."""
    from dialgauge.learn import VariantOptions

    return VariantOptions(
        tuple(perturbations or ("baseline", "domain")),
        priors,
        rounding,  # type: ignore[arg-type]  # checked where it is used
        annotated,
        most,
    )


def separate(text: str) -> tuple[str, ...]:
    """The names between the commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
