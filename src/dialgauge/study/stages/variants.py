"""Variants: summaries that are broken or rewritten on purpose, to see which metric notices."""

import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
from pydantic import Field, field_validator, model_validator

from dialgauge.corpus import KEY, RATINGS, Corpus, read_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.perturb import (
    PERTURBATIONS,
    Generator,
    by_rules,
    by_rules_without_parser,
    parse_requests,
    parser_identity,
    perturb,
)
from dialgauge.settings import refusing
from dialgauge.study._context import Context
from dialgauge.study._stage import Section, Stage
from dialgauge.study._study_file import SectionModel, StudyFile

if TYPE_CHECKING:
    from dialgauge.perturb import LlmGenerator

VARIANTS, DECLINED = "variants", "declined.parquet"
#: The keys of ``[perturbations]`` that only a language model has a use for.
LLM_KEYS = frozenset({"model", "base_url", "prompts", "fallback", "max_calls", "max_tokens", "parallel", "price"})
#: The keys that decide which variants there are; the others say how metrics are judged by them.
MAKING = frozenset({"use", "per_item", "generator", "parser"})
#: They limit or price a run, and do not change what comes out of it.
_NO_MATTER = frozenset({"max_calls", "max_tokens", "parallel", "price"})


class PerturbationsSection(SectionModel):
    """``[perturbations]``: what is done to the summaries to see which metric notices, and how that is judged.

    Nothing is done where ``use`` is empty. ``effects`` says what variants that the corpus has already do (label →
    dimension → effect); ``dimensions`` restricts what is expected; ``margin`` is what counts as no change; ``priors``
    accepts published mean ratings for variants. With ``parser = "optional"`` what needs a parser is left out where
    there is none.

    With ``generator = "llm"`` the chat model ``model`` at ``base_url`` (or ``OPENAI_BASE_URL``) rewrites, asked
    ``max_calls`` times and for ``max_tokens`` at most in one run; ``price`` is that of a million tokens. Its key comes
    from the environment alone (``OPENAI_API_KEY``) and is written nowhere.
    """

    use: list[str] = Field(default_factory=list)
    per_item: Annotated[int, Field(ge=1, le=20)] = 1
    dimensions: Annotated[list[str], Field(min_length=1)] | None = None
    margin: Annotated[float, Field(gt=0)] = 0.25
    priors: bool = False
    parser: Literal["needed", "optional"] = "needed"
    effects: dict[str, dict[str, Literal["preserves", "degrades", "degrades-mildly"]]] = Field(default_factory=dict)
    generator: Literal["rules", "llm"] = "rules"
    model: Annotated[str, Field(min_length=1)] | None = None
    base_url: str | None = None
    prompts: Literal["own", "paper"] = "own"
    fallback: Literal["rules", "reject"] = "rules"
    max_calls: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    parallel: Annotated[int, Field(ge=1, le=256)] = 4
    price: Annotated[float, Field(ge=0)] | None = None

    @field_validator("use")
    @classmethod
    def _known(cls, specs: list[str]) -> list[str]:
        with refusing():
            parse_requests(specs)
        return specs

    @field_validator("base_url")
    @classmethod
    def _bare_address(cls, address: str | None) -> str | None:
        if address is not None:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query or not parts.hostname:
                raise ValueError("must be as in https://host/v1; a key belongs into OPENAI_API_KEY, never into a file")
        return address

    @model_validator(mode="after")
    def _complete(self) -> "PerturbationsSection":
        asked = sorted(LLM_KEYS & self.model_fields_set)
        if self.generator == "rules" and asked:
            raise ValueError(f'{", ".join(asked)}: only with generator = "llm"')
        if self.generator == "llm" and self.parser == "optional":
            raise ValueError('parser = "optional": only with generator = "rules"')
        if self.generator == "llm" and self.model is None:
            raise ValueError('generator = "llm" needs a model, as in model = "NAME"')
        return self


class VariantsStage(Stage):
    """Makes the variants of all summaries."""

    name = "variants"
    sections = (Section("perturbations", PerturbationsSection),)
    outputs = (VARIANTS, DECLINED)

    def asked(self, settings: StudyFile) -> bool:
        return bool(settings.section(PerturbationsSection).use)

    def settings(self, context: Context) -> Mapping[str, Any]:
        wanted = context.section(PerturbationsSection)
        making = MAKING | (LLM_KEYS - _NO_MATTER if wanted.generator == "llm" else set())
        made = wanted.model_dump(include=set(making)) | {"seed": context.study.seed}
        if any("parse" in request.perturbation.needs for request in parse_requests(wanted.use)):
            # Another parser makes other variants; and once there is one, more can be made than without.
            made["parser"] = parser_identity()
        return made

    def make(self, context: Context) -> Mapping[str, Any]:
        corpus, wanted = context.corpus, context.section(PerturbationsSection)
        llm = _open_generator(wanted) if wanted.generator == "llm" else None
        rules: Generator = by_rules_without_parser if wanted.parser == "optional" else by_rules
        made = perturb(
            corpus,
            wanted.use,
            seed=context.study.seed,
            per_item=wanted.per_item,
            generator=llm or rules,
            progress=context.progress,
        )
        if llm and llm.unpaid:
            # Half the variants would give other numbers than all of them: the stage is done when all are made.
            raise InputError(
                f"perturbations: the budget is spent with {made.variants.height} variants made and {llm.unpaid} "
                "to go; run again to go on from there, or raise perturbations.max_calls and max_tokens"
            )
        added = made.corpus.summaries.join(corpus.summaries, on=list(KEY), how="anti", maintain_order="left")
        if added.is_empty():
            reason = made.declined["reason"][0] if made.declined.height else "the corpus has no summary"
            raise InputError(f"perturbations.use: no variant could be made of any summary (first reason: {reason})")
        # References are there to score against; ratings belong to the originals.
        kept = replace(
            corpus, summaries=pl.concat([corpus.references, added]), ratings=pl.DataFrame(schema=RATINGS), problems=()
        )
        write_corpus(kept, context.folder / VARIANTS)
        context.write(DECLINED, made.declined)
        facts: dict[str, Any] = {"made": added.height, "declined": made.declined.height}
        return facts | ({"llm": llm.account()} if llm else {})

    def modules(self, context: Context) -> Iterable[str]:
        requests = parse_requests(context.section(PerturbationsSection).use)
        return {module for request in requests for module in PERTURBATIONS.modules(request.perturbation)}

    def extras(self, settings: StudyFile) -> set[str]:
        return {"parser"}

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        wanted = settings.section(PerturbationsSection)
        by = f"by {wanted.model}" if wanted.generator == "llm" else "by rules"
        held = f"; for {', '.join(wanted.dimensions)}" if wanted.dimensions else ""
        parsed = "; what needs a parser is left out where there is none" if wanted.parser == "optional" else ""
        judged = f"{wanted.per_item} of a kind; margin {wanted.margin:g}{held}{parsed}"
        return {"perturbations": f"{', '.join(wanted.use)}; {by}; {judged}"}


def with_variants(folder: Path, corpus: Corpus) -> Corpus:
    """The corpus of a run together with the variants that the run made."""
    variants = read_corpus(folder / VARIANTS)
    added = variants.summaries.join(corpus.summaries, on=list(KEY), how="anti", maintain_order="left")
    return replace(corpus, summaries=pl.concat([corpus.summaries, added]))


def _open_generator(wanted: PerturbationsSection) -> "LlmGenerator":
    """The language model that the study file names. Its key is taken from the environment."""
    from dialgauge.models import ChatBudget, ChatEndpoint
    from dialgauge.perturb import LlmGenerator, LlmSettings

    name = f"chat:{wanted.model}" + (f"@{wanted.base_url}" if wanted.base_url else "")
    budget = ChatBudget(requests=wanted.max_calls, tokens=wanted.max_tokens)
    chat = ChatEndpoint.open(name, budget=budget, parallel=wanted.parallel)
    return LlmGenerator(chat, LlmSettings(prompts=wanted.prompts, fallback=wanted.fallback, price=wanted.price))
