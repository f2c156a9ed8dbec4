"""The stages of a study that break summaries on purpose: variants, their scores, and the robustness of the metrics."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus import KEY, RATINGS, Corpus, read_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.metrics import Scores
from dialgauge.perturb import (
    Generator,
    by_rules,
    by_rules_without_parser,
    parse_requests,
    parser_identity,
    perturb,
)
from dialgauge.report import RobustnessData
from dialgauge.study._context import Context
from dialgauge.study._robustness import TABLES, analyse_variants, write_analysis
from dialgauge.study._scoring import score_as_asked
from dialgauge.study._sections import LLM_KEYS, PerturbationsSection

if TYPE_CHECKING:
    from dialgauge.perturb import LlmGenerator

VARIANTS, DECLINED, SCORES = "variants", "declined.parquet", "variant-scores.parquet"
_MAKING = frozenset({"use", "per_item", "generator", "parser"})
#: They limit or price a run, and do not change what comes out of it.
_NO_MATTER = frozenset({"max_calls", "max_tokens", "parallel", "price"})


@dataclass(frozen=True, slots=True)
class VariantStages:
    """The stages, of a run under way. Nothing of the others depends on them but the report."""

    context: Context

    @property
    def wanted(self) -> PerturbationsSection:
        """What the study file asks of them."""
        return self.context.settings.perturbations

    def run(self) -> list[str]:
        """Run what is not done yet; gives the names of the stages that the report shows."""
        settings, stage = self.context.settings, self.context.ledger.run
        seed = {"seed": settings.study.seed}
        making = _MAKING | (LLM_KEYS - _NO_MATTER if self.wanted.generator == "llm" else set())
        made = self.wanted.model_dump(include=set(making)) | seed
        if any("parse" in request.perturbation.needs for request in parse_requests(self.wanted.use)):
            # Another parser makes other variants; and once there is one, more can be made than without.
            made["parser"] = parser_identity()
        stage("variants", made, ["corpus"], [VARIANTS, DECLINED], self._make_variants)
        # What made the scores made these: a changed model shows in the fingerprint of that stage.
        stage("variant-scores", settings.metrics.model_dump(), ["variants", "scores"], [SCORES], self._make_scores)
        analysed = self.wanted.model_dump(exclude=set(_MAKING | LLM_KEYS)) | seed
        analysed |= {"correlation": settings.correlation.model_dump(include={"resamples", "confidence"})}
        outputs = [f"{name}.parquet" for name in TABLES] + ["robustness.json"]
        inputs = ["corpus", "scores", "variants", "variant-scores"]
        stage("robustness", analysed, inputs, outputs, self._make_robustness)
        return ["variants", "robustness"]

    def _make_variants(self) -> dict[str, Any]:
        corpus, settings = self.context.corpus, self.context.settings
        llm = _open_generator(self.wanted) if self.wanted.generator == "llm" else None
        rules: Generator = by_rules_without_parser if self.wanted.parser == "optional" else by_rules
        made = perturb(
            corpus,
            self.wanted.use,
            seed=settings.study.seed,
            per_item=self.wanted.per_item,
            generator=llm or rules,
            progress=self.context.progress,
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
        write_corpus(kept, self.context.folder / VARIANTS)
        self.context.write(DECLINED, made.declined)
        facts: dict[str, Any] = {"made": added.height, "declined": made.declined.height}
        return facts | ({"llm": llm.account()} if llm else {})

    def _make_scores(self) -> dict[str, Any]:
        variants = read_corpus(self.context.folder / VARIANTS)
        scores = score_as_asked(self.context, variants)
        scores.save(self.context.folder / SCORES, with_seconds=False)
        return {"seconds_per_metric": dict(scores.seconds)}

    def _make_robustness(self) -> None:
        settings, originals = self.context.settings, self.context.scores
        variants = Scores.load(self.context.folder / SCORES)
        frame = pl.concat([originals.frame, variants.frame], how="diagonal_relaxed")
        analysis = analyse_variants(
            _with_variants(self.context.folder, self.context.corpus),
            replace(originals, frame=frame),
            effects=self.wanted.effects,
            priors=self.wanted.priors,
            dimensions=self.wanted.dimensions,
            margin=self.wanted.margin,
            seed=settings.study.seed,
            resamples=settings.correlation.resamples,
            confidence=settings.correlation.confidence,
            progress=self.context.progress,
        )
        write_analysis(analysis, self.context.folder)


def variant_results(folder: Path, corpus: Corpus) -> RobustnessData:
    """What the report shows of these stages, from the folder of a run and its corpus."""
    tables = {name: pl.read_parquet(folder / f"{file}.parquet") for file, name in TABLES.items()}
    return RobustnessData(
        corpus=_with_variants(folder, corpus),
        tables=tables,
        settings=json.loads((folder / "robustness.json").read_text("utf-8")),
        correlations=None if tables["correlations"].is_empty() else tables["correlations"],
        declined=pl.read_parquet(folder / DECLINED),
    )


def _with_variants(folder: Path, corpus: Corpus) -> Corpus:
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
