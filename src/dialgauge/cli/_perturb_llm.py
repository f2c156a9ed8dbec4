"""Options of ``dialgauge perturb`` for generating the domain family with a language model."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._output import console, print_json, print_table
from dialgauge.models import ChatSettings
from dialgauge.perturb import LlmSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dialgauge.perturb import Declined, LlmEstimate, LlmGenerator, Perturbed, Progress, Task, Variant

_PANEL = "With a chat model"
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm",
        help="Let this chat model rewrite: chat:MODEL@https://host/v1, or chat:MODEL with OPENAI_BASE_URL set; the key "
        "comes from OPENAI_API_KEY. Without it, rules do the work, offline.",
        rich_help_panel=_PANEL,
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only show what would be asked; write nothing.", rich_help_panel=_PANEL)
]


def open_llm(llm: str, settings: LlmSettings, chat: ChatSettings) -> "LlmGenerator":
    """The generator for these options."""
    from dialgauge.models import ChatEndpoint
    from dialgauge.perturb import LlmGenerator

    endpoint = ChatEndpoint.open(llm, budget=chat.budget(), parallel=chat.parallel)
    return LlmGenerator(endpoint, settings, price=chat.token_price)


def planned(run: "Callable[..., Perturbed]") -> "list[Task]":
    """The tasks of a run of ``perturb``, without running any."""
    found: list[Task] = []

    def collect(tasks: "Sequence[Task]", progress: "Progress | None") -> "Iterable[tuple[Task, Variant | Declined]]":
        found.extend(tasks)
        return ()

    run(generator=collect)
    return found


def print_estimate(estimate: "LlmEstimate", json: bool) -> None:
    """Print the estimated requests of a run."""
    facts: dict[str, Any] = {
        "variants": estimate.tasks,
        "calls": estimate.calls,
        "tokens": estimate.tokens,
        "calls at most": estimate.most_calls,
        "tokens at most": estimate.most_tokens,
    }
    if estimate.cost is not None:
        facts["cost"] = round(estimate.cost, 4)
    if json:
        print_json({name.replace(" ", "_"): value for name, value in facts.items()})
        return
    print_table("estimated requests", tuple(facts), [tuple(facts.values())], numeric=list(facts))
    console.print("[dim]Tokens are estimated at four characters each. Answers in the cache cost nothing.[/]")
