from dialgauge.reproduce._compare import (
    Comparison as Comparison,
    compare as compare,
)
from dialgauge.reproduce._compare_render import (
    ComparisonReport as ComparisonReport,
)
from dialgauge.reproduce._compare_tables import (
    comparison_tables as comparison_tables,
)
from dialgauge.reproduce._conclusions import (
    Claim as Claim,
    Conclusions as Conclusions,
    check_claims as check_claims,
    read_claims as read_claims,
)
from dialgauge.reproduce._cv import (
    Variation as Variation,
    cv_star as cv_star,
)
from dialgauge.reproduce._heds import (
    Datasheet as Datasheet,
    draft_datasheet as draft_datasheet,
    heds_questions as heds_questions,
    read_answers as read_answers,
)
from dialgauge.reproduce._merging import (
    sweep_settings as sweep_settings,
)
from dialgauge.reproduce._papers import (
    Paper as Paper,
    all_papers as all_papers,
    find_paper as find_paper,
    recompute_paper as recompute_paper,
)
from dialgauge.reproduce._print_checks import (
    WrongBold as WrongBold,
    WrongStars as WrongStars,
    check_bold as check_bold,
    check_stars as check_stars,
    repeated_names as repeated_names,
)
from dialgauge.reproduce._printed import (
    Cell as Cell,
    Defect as Defect,
    Layout as Layout,
    LayoutRow as LayoutRow,
    PaperCheck as PaperCheck,
    Printed as Printed,
    PrintedTable as PrintedTable,
    TableCheck as TableCheck,
    check_table as check_table,
    load_printed as load_printed,
    parse_printed as parse_printed,
    round_half_up as round_half_up,
    round_twice as round_twice,
)
from dialgauge.reproduce._settings import (
    ComparisonSettings as ComparisonSettings,
)
from dialgauge.reproduce._shared import (
    Shift as Shift,
)
from dialgauge.reproduce._studies import (
    Agreed as Agreed,
    StudyResults as StudyResults,
    rated_results as rated_results,
    read_printed as read_printed,
)
from dialgauge.reproduce._systems import (
    SystemComparison as SystemComparison,
    compare_systems as compare_systems,
)
from dialgauge.reproduce.papers.tweak_to_trust import (
    tweak_to_trust_accuracies as tweak_to_trust_accuracies,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.reproduce._comparable import comparable_ratings as comparable_ratings
from dialgauge.reproduce._compare_page import comparison_html as comparison_html
from dialgauge.reproduce._compare_render import (
    comparison_json as comparison_json,
    comparison_remarks as comparison_remarks,
)
from dialgauge.reproduce._merging import (
    shared_annotators as shared_annotators,
)
from dialgauge.reproduce._qra import (
    QraLine as QraLine,
    show_span as show_span,
)
from dialgauge.reproduce._render import (
    paper_csv as paper_csv,
    paper_html as paper_html,
    paper_json as paper_json,
    table_json as table_json,
)
from dialgauge.reproduce._section import (
    ComparisonSection as ComparisonSection,
    comparison_section as comparison_section,
)
from dialgauge.reproduce._studies import (
    is_printed_table as is_printed_table,
)
from dialgauge.reproduce._systems import (
    system_pairs as system_pairs,
)
from dialgauge.reproduce.papers.tweak_to_trust_tables import (
    TweakResults as TweakResults,
    tweak_results as tweak_results,
)
