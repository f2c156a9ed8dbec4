from dialgauge.report._affect import (
    AffectData as AffectData,
)
from dialgauge.report._content import (
    CountedRatings as CountedRatings,
    ReportData as ReportData,
)
from dialgauge.report._learned import (
    LearnedData as LearnedData,
)
from dialgauge.report._panel import (
    Panel as Panel,
    plain_panel as plain_panel,
)
from dialgauge.report._render import (
    render_report as render_report,
)
from dialgauge.report._robustness import (
    RobustnessData as RobustnessData,
)
from dialgauge.report._times import (
    TimesData as TimesData,
)
from dialgauge.report._written import (
    WrittenData as WrittenData,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.report._affect import (
    affect_panel as affect_panel,
)
from dialgauge.report._affect_pages import (
    SpreadRow as SpreadRow,
    render_affect_corpus as render_affect_corpus,
    render_affect_examples as render_affect_examples,
    spread_rows as spread_rows,
)
from dialgauge.report._content import (
    places as places,
)
from dialgauge.report._corpus_figures import (
    corpus_figures as corpus_figures,
)
from dialgauge.report._evidence import (
    evidence_panel as evidence_panel,
)
from dialgauge.report._judgement_tables import (
    accuracy_table as accuracy_table,
    best_worst_table as best_worst_table,
    class_tables as class_tables,
    judgements_panel as judgements_panel,
    labels_table as labels_table,
    preferred_table as preferred_table,
    span_systems_table as span_systems_table,
    span_tables as span_tables,
    thresholds_table as thresholds_table,
    told_by_metrics as told_by_metrics,
)
from dialgauge.report._learned import (
    learned_panel as learned_panel,
)
from dialgauge.report._render import (
    render_robustness as render_robustness,
    report_figures as report_figures,
    verdict_figures as verdict_figures,
)
from dialgauge.report._reproduction import (
    reproduction_panel as reproduction_panel,
)
from dialgauge.report._robustness import (
    card_sentences as card_sentences,
    marked as marked,
)
from dialgauge.report._robustness_panel import (
    robustness_panel as robustness_panel,
)
from dialgauge.report._robustness_passed import (
    passed_kinds as passed_kinds,
    passed_sentence as passed_sentence,
)
from dialgauge.report._system_pairs import (
    pair_tables as pair_tables,
    paired_systems_table as paired_systems_table,
    same_winner_table as same_winner_table,
    system_pairs_panel as system_pairs_panel,
)
from dialgauge.report._tables import (
    agreement_table as agreement_table,
    correlation_table as correlation_table,
    system_table as system_table,
)
from dialgauge.report._tables_more import (
    affect_table as affect_table,
    learned_table as learned_table,
    perturbation_table as perturbation_table,
    perturbed_correlation_table as perturbed_correlation_table,
    reproduction_table as reproduction_table,
    robustness_table as robustness_table,
)
from dialgauge.report._verdict import (
    answer_sentences as answer_sentences,
    answer_table as answer_table,
    level_words as level_words,
    null_sentence as null_sentence,
    shown_number as shown_number,
    verdict_table as verdict_table,
)
