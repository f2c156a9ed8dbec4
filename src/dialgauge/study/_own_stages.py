"""The stages of dialgauge itself, in the order in which the report describes them."""

from dialgauge.study._stage import Stage
from dialgauge.study.stages.affect import AffectStage
from dialgauge.study.stages.agreement import AgreementStage
from dialgauge.study.stages.corpus import CorpusStage
from dialgauge.study.stages.correlations import CorrelationsStage
from dialgauge.study.stages.judgements import JudgementsStage
from dialgauge.study.stages.learn import LearnStage
from dialgauge.study.stages.relations import RelationsStage
from dialgauge.study.stages.report import ReportStage
from dialgauge.study.stages.reproduction import ReproductionStage
from dialgauge.study.stages.robustness import RobustnessStage
from dialgauge.study.stages.scores import ScoresStage
from dialgauge.study.stages.summaries import SummariesStage
from dialgauge.study.stages.systems import SystemsStage
from dialgauge.study.stages.tweak import TweakStage
from dialgauge.study.stages.variant_scores import VariantScoresStage
from dialgauge.study.stages.variants import VariantsStage
from dialgauge.study.stages.verdict import VerdictStage

OWN: tuple[Stage, ...] = (
    CorpusStage(),
    ScoresStage(),
    SummariesStage(),
    AgreementStage(),
    CorrelationsStage(),
    JudgementsStage(),
    RelationsStage(),
    SystemsStage(),
    VariantsStage(),
    VariantScoresStage(),
    RobustnessStage(),
    VerdictStage(),
    AffectStage(),
    LearnStage(),
    TweakStage(),
    ReproductionStage(),
    ReportStage(),
)
