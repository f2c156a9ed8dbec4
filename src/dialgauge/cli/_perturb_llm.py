"""The options of ``dialgauge perturb`` that hand the domain family to a language model."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._output import console, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dialgauge.perturb import Declined, LlmEstimate, LlmGenerator, Perturbed, Progress, Task, Variant

_PANEL = "With a language model"
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm",
        help="Let this chat model rewrite: chat:MODEL@https://host/v1, or chat:MODEL with OPENAI_BASE_URL set; the key "
        "comes from OPENAI_API_KEY. Without it, rules do the work, offline.",
        rich_help_panel=_PANEL,
    ),
]
Prompts = Annotated[
    str,
    typer.Option("--prompts", help="own (checked by schema) or paper (of Tweak to Trust).", rich_help_panel=_PANEL),
]
Fallback = Annotated[
    str,
    typer.Option("--fallback", help="What follows two complaints in vain: rules, or reject.", rich_help_panel=_PANEL),
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Ask no more often than this.", rich_help_panel=_PANEL)
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", min=0, help="Ask no more once so many tokens are spent.", rich_help_panel=_PANEL),
]
Parallel = Annotated[int, typer.Option("--parallel", min=1, help="Questions at a time.", rich_help_panel=_PANEL)]
Price = Annotated[
    float | None, typer.Option("--price", min=0, help="Price of a million tokens.", rich_help_panel=_PANEL)
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only say what would be asked; write nothing.", rich_help_panel=_PANEL)
]


def open_llm(
    llm: str, prompts: str, fallback: str, calls: int | None, tokens: int | None, parallel: int, price: float | None
) -> "LlmGenerator":
    """The generator for these options."""
    from dialgauge.models import ChatBudget, ChatEndpoint
    from dialgauge.perturb import LlmGenerator, LlmSettings

    settings = LlmSettings(prompts=prompts, fallback=fallback, price=price)  # type: ignore[arg-type]  # checked there
    budget = ChatBudget(requests=calls, tokens=tokens)
    return LlmGenerator(ChatEndpoint.open(llm, budget=budget, parallel=parallel), settings)


def planned(run: "Callable[..., Perturbed]") -> "list[Task]":
    """The tasks that a run of ``perturb`` would have, without doing any."""
    found: list[Task] = []

    def collect(tasks: "Sequence[Task]", progress: "Progress | None") -> "Iterable[tuple[Task, Variant | Declined]]":
        found.extend(tasks)
        return ()

    run(generator=collect)
    return found


def print_estimate(estimate: "LlmEstimate", json: bool) -> None:
    """What a run would ask for."""
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
    print_table("what would be asked", tuple(facts), [tuple(facts.values())], numeric=list(facts))
    console.print("[dim]Tokens are estimated at four characters each. Answers in the cache cost nothing.[/]")
