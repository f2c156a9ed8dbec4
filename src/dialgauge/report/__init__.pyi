from dialgauge.report._affect import (
    AffectData as AffectData,
)
from dialgauge.report._affect_pages import (
    NO_DOMAIN as NO_DOMAIN,
)
from dialgauge.report._affect_pages import (
    SPREAD_COLUMNS as SPREAD_COLUMNS,
)
from dialgauge.report._affect_pages import (
    SpreadRow as SpreadRow,
)
from dialgauge.report._affect_pages import (
    render_affect_corpus as render_affect_corpus,
)
from dialgauge.report._affect_pages import (
    render_affect_examples as render_affect_examples,
)
from dialgauge.report._affect_pages import (
    spread_rows as spread_rows,
)
from dialgauge.report._content import (
    CountedRatings as CountedRatings,
)
from dialgauge.report._content import (
    ReportData as ReportData,
)
from dialgauge.report._content import (
    decimals as decimals,
)
from dialgauge.report._content import (
    headline as headline,
)
from dialgauge.report._content import (
    places as places,
)
from dialgauge.report._learned import (
    LearnedData as LearnedData,
)
from dialgauge.report._render import (
    render_report as render_report,
)
from dialgauge.report._render import (
    render_robustness as render_robustness,
)
from dialgauge.report._reproduction import (
    ReproductionData as ReproductionData,
)
from dialgauge.report._robustness import (
    RobustnessData as RobustnessData,
)
from dialgauge.report._robustness import (
    card_sentences as card_sentences,
)
from dialgauge.report._robustness import (
    marked as marked,
)
from dialgauge.report._tables import (
    agreement_table as agreement_table,
)
from dialgauge.report._tables import (
    correlation_table as correlation_table,
)
from dialgauge.report._tables import (
    system_table as system_table,
)
from dialgauge.report._tables_model import (
    PaperTable as PaperTable,
)
from dialgauge.report._tables_more import (
    affect_table as affect_table,
)
from dialgauge.report._tables_more import (
    learned_table as learned_table,
)
from dialgauge.report._tables_more import (
    perturbation_table as perturbation_table,
)
from dialgauge.report._tables_more import (
    perturbed_correlation_table as perturbed_correlation_table,
)
from dialgauge.report._tables_more import (
    reproduction_table as reproduction_table,
)
from dialgauge.report._tables_more import (
    robustness_table as robustness_table,
)
from dialgauge.report._tables_render import (
    FORMATS as FORMATS,
)
from dialgauge.report._tables_render import (
    escape_latex as escape_latex,
)
from dialgauge.report._tables_render import (
    render_table as render_table,
)
from dialgauge.report._times import (
    TimesData as TimesData,
)
from dialgauge.report._written import (
    WrittenData as WrittenData,
)
