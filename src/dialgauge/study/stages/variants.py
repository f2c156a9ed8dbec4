"""Variants: degraded or rewritten summaries, to test which metrics react."""

import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from pydantic import field_validator, model_validator

from dialgauge.corpus import KEY, RATINGS, Corpus, read_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.metaeval import RobustnessSettings
from dialgauge.models import ChatSettings
from dialgauge.perturb import (
    PERTURBATIONS,
    Generator,
    LlmSettings,
    PerturbSettings,
    by_rules,
    by_rules_without_parser,
    gate_identity,
    parse_requests,
    parser_identity,
    perturb,
)
from dialgauge.settings import Several, refusing, setting
from dialgauge.study._context import Context
from dialgauge.study._stage import Section, Stage
from dialgauge.study._study_file import StudyFile

if TYPE_CHECKING:
    from dialgauge.perturb import LlmGenerator

VARIANTS, DECLINED = "variants", "declined.parquet"
#: The keys of ``[perturbations]`` that only a language model has a use for; those of the endpoint change no variant.
_ASKING = frozenset({"model", "base_url", *LlmSettings.model_fields})
LLM_KEYS = _ASKING | frozenset(ChatSettings.model_fields)
#: The keys that decide which variants there are; the others say how metrics are judged by them.
MAKING = frozenset({"use", "include_references", "per_item", "gate", "generator", "parser"})


class PerturbationsSection(PerturbSettings, RobustnessSettings, LlmSettings, ChatSettings):
    """``[perturbations]``: perturbations of the summaries to test which metrics react, and how this is judged.

    Nothing is done where ``use`` is empty. With ``parser = "optional"`` what needs a parser is left out where there is
    none. With ``generator = "llm"`` the chat model ``model`` at ``base_url`` (or ``OPENAI_BASE_URL``) rewrites. Its key
    comes from the environment alone (``OPENAI_API_KEY``) and is written nowhere.
    """

    use: Several[str] = setting((), "Perturbation to make variants by.", flag="--perturbation")
    parser: Literal["needed", "optional"] = setting("needed", "Whether variants that need a parser may be left out.")
    generator: Literal["rules", "llm"] = setting("rules", "Who makes the variants.")
    without_metrics: Several[str] = setting(
        (), "Metric of the study that is not computed for variants, because it takes too long.", flag="--without-metric"
    )
    model: str | None = setting(None, "Name of the chat model.", min_length=1)
    base_url: str | None = setting(None, "Address of the chat endpoint, as in https://host/v1.")

    @field_validator("use")
    @classmethod
    def _known(cls, specs: tuple[str, ...]) -> tuple[str, ...]:
        with refusing():
            parse_requests(specs)
        return specs

    @field_validator("base_url")
    @classmethod
    def _bare_address(cls, address: str | None) -> str | None:
        if address is not None:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query or not parts.hostname:
                raise ValueError("must look like https://host/v1; put a key into OPENAI_API_KEY, never into a file")
        return address

    @model_validator(mode="after")
    def _complete(self) -> "PerturbationsSection":
        asked = sorted(LLM_KEYS & self.model_fields_set)
        if self.generator == "rules" and asked:
            raise ValueError(f'{", ".join(asked)}: only with generator = "llm"')
        if self.generator == "llm" and self.parser == "optional":
            raise ValueError('parser = "optional": only with generator = "rules"')
        if self.generator == "llm" and self.gate:
            raise ValueError(
                'gate: only with generator = "rules"; answers of a model are checked by their own validators'
            )
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
        making = MAKING | (_ASKING if wanted.generator == "llm" else set())
        made = wanted.model_dump(mode="json", include=set(making)) | {"seed": _asked(context).seed}
        if any("parse" in request.perturbation.needs for request in parse_requests(wanted.use)):
            # Another parser makes other variants; and once there is one, more can be made than without.
            made["parser"] = parser_identity()
        if "model" in wanted.gate:
            made["gate_model"] = gate_identity()
        return made

    def make(self, context: Context) -> Mapping[str, Any]:
        corpus, wanted = context.corpus, context.section(PerturbationsSection)
        llm = _open_generator(wanted) if wanted.generator == "llm" else None
        rules: Generator = by_rules_without_parser if wanted.parser == "optional" else by_rules
        made = perturb(corpus, wanted.use, _asked(context), generator=llm or rules, progress=context.progress)
        if llm and llm.unpaid:
            # Half the variants would give other numbers than all of them: the stage is done when all are made.
            raise InputError(
                f"perturbations: the budget is spent: {made.variants.height} variants are made and {llm.unpaid} are "
                "missing; rerun to resume, or raise perturbations.max_calls and max_tokens"
            )
        added = made.corpus.summaries.join(corpus.summaries, on=list(KEY), how="anti", maintain_order="left")
        if added.is_empty():
            reason = made.declined["reason"][0] if made.declined.height else "the corpus has no summary"
            raise InputError(f"perturbations.use: no summary could be perturbed (first reason: {reason})")
        # References are needed for scoring; ratings belong to the originals.
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
        parsed = "; without a parser, perturbations that need one are skipped" if wanted.parser == "optional" else ""
        by += f" and the gates {', '.join(wanted.gate)}" if wanted.gate else ""
        judged = f"{wanted.per_item} per kind; margin {wanted.margin:g}{held}{parsed}"
        without = f"; not scored by {', '.join(wanted.without_metrics)}" if wanted.without_metrics else ""
        return {"perturbations": f"{', '.join(wanted.use)}; {by}; {judged}{without}"}


def with_variants(folder: Path, corpus: Corpus) -> Corpus:
    """The corpus of a run together with the variants that the run made."""
    variants = read_corpus(folder / VARIANTS)
    added = variants.summaries.join(corpus.summaries, on=list(KEY), how="anti", maintain_order="left")
    return replace(corpus, summaries=pl.concat([corpus.summaries, added]))


def _asked(context: Context) -> PerturbSettings:
    return context.asked(PerturbSettings, context.section(PerturbationsSection))


def _open_generator(wanted: PerturbationsSection) -> "LlmGenerator":
    """The language model that the study file names. Its key is taken from the environment."""
    from dialgauge.models import ChatEndpoint
    from dialgauge.perturb import LlmGenerator

    name = f"chat:{wanted.model}" + (f"@{wanted.base_url}" if wanted.base_url else "")
    chat = ChatEndpoint.open(name, budget=wanted.budget(), parallel=wanted.parallel)
    return LlmGenerator(chat, wanted.subset(LlmSettings), price=wanted.token_price)
