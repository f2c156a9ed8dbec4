from dialgauge.reproduce._compare import (
    Comparison as Comparison,
)
from dialgauge.reproduce._compare import (
    Shift as Shift,
)
from dialgauge.reproduce._compare import (
    compare as compare,
)
from dialgauge.reproduce._compare import (
    kendall_w as kendall_w,
)
from dialgauge.reproduce._compare_render import (
    ComparisonReport as ComparisonReport,
)
from dialgauge.reproduce._compare_render import (
    comparison_html as comparison_html,
)
from dialgauge.reproduce._compare_render import (
    comparison_json as comparison_json,
)
from dialgauge.reproduce._compare_render import (
    comparison_remarks as comparison_remarks,
)
from dialgauge.reproduce._conclusions import (
    Claim as Claim,
)
from dialgauge.reproduce._conclusions import (
    Conclusions as Conclusions,
)
from dialgauge.reproduce._conclusions import (
    check_claims as check_claims,
)
from dialgauge.reproduce._conclusions import (
    claims_from as claims_from,
)
from dialgauge.reproduce._conclusions import (
    parse_comparison as parse_comparison,
)
from dialgauge.reproduce._conclusions import (
    read_claims as read_claims,
)
from dialgauge.reproduce._cv import (
    Variation as Variation,
)
from dialgauge.reproduce._cv import (
    c4 as c4,
)
from dialgauge.reproduce._cv import (
    cv_star as cv_star,
)
from dialgauge.reproduce._heds import (
    Datasheet as Datasheet,
)
from dialgauge.reproduce._heds import (
    draft_datasheet as draft_datasheet,
)
from dialgauge.reproduce._heds import (
    heds_questions as heds_questions,
)
from dialgauge.reproduce._heds import (
    read_answers as read_answers,
)
from dialgauge.reproduce._intervals import (
    Range as Range,
)
from dialgauge.reproduce._intervals import (
    cv_star_range as cv_star_range,
)
from dialgauge.reproduce._intervals import (
    spearman_range as spearman_range,
)
from dialgauge.reproduce._papers import (
    PAPERS as PAPERS,
)
from dialgauge.reproduce._papers import (
    recompute_paper as recompute_paper,
)
from dialgauge.reproduce._print_checks import (
    WrongBold as WrongBold,
)
from dialgauge.reproduce._print_checks import (
    WrongStars as WrongStars,
)
from dialgauge.reproduce._print_checks import (
    check_bold as check_bold,
)
from dialgauge.reproduce._print_checks import (
    check_stars as check_stars,
)
from dialgauge.reproduce._print_checks import (
    repeated_names as repeated_names,
)
from dialgauge.reproduce._print_checks import (
    stars_of as stars_of,
)
from dialgauge.reproduce._printed import (
    Cell as Cell,
)
from dialgauge.reproduce._printed import (
    Defect as Defect,
)
from dialgauge.reproduce._printed import (
    Layout as Layout,
)
from dialgauge.reproduce._printed import (
    LayoutRow as LayoutRow,
)
from dialgauge.reproduce._printed import (
    PaperCheck as PaperCheck,
)
from dialgauge.reproduce._printed import (
    Printed as Printed,
)
from dialgauge.reproduce._printed import (
    PrintedTable as PrintedTable,
)
from dialgauge.reproduce._printed import (
    TableCheck as TableCheck,
)
from dialgauge.reproduce._printed import (
    check_table as check_table,
)
from dialgauge.reproduce._printed import (
    load_printed as load_printed,
)
from dialgauge.reproduce._printed import (
    parse_printed as parse_printed,
)
from dialgauge.reproduce._printed import (
    printed_rows as printed_rows,
)
from dialgauge.reproduce._printed import (
    round_half_up as round_half_up,
)
from dialgauge.reproduce._printed import (
    round_twice as round_twice,
)
from dialgauge.reproduce._printed import (
    study_folder as study_folder,
)
from dialgauge.reproduce._qra import (
    QraLine as QraLine,
)
from dialgauge.reproduce._qra import (
    qra_view as qra_view,
)
from dialgauge.reproduce._qra import (
    show_number as show_number,
)
from dialgauge.reproduce._qra import (
    show_p_value as show_p_value,
)
from dialgauge.reproduce._qra import (
    show_span as show_span,
)
from dialgauge.reproduce._render import (
    paper_csv as paper_csv,
)
from dialgauge.reproduce._render import (
    paper_html as paper_html,
)
from dialgauge.reproduce._render import (
    paper_json as paper_json,
)
from dialgauge.reproduce._render import (
    table_json as table_json,
)
from dialgauge.reproduce._settings import (
    shared_annotators as shared_annotators,
)
from dialgauge.reproduce._settings import (
    sweep_settings as sweep_settings,
)
from dialgauge.reproduce._studies import (
    Agreed as Agreed,
)
from dialgauge.reproduce._studies import (
    StudyResults as StudyResults,
)
from dialgauge.reproduce._studies import (
    is_printed_table as is_printed_table,
)
from dialgauge.reproduce._studies import (
    printed_results as printed_results,
)
from dialgauge.reproduce._studies import (
    rated_results as rated_results,
)
from dialgauge.reproduce._studies import (
    read_printed as read_printed,
)
from dialgauge.reproduce._studies import (
    with_default_scale as with_default_scale,
)
from dialgauge.reproduce._systems import (
    SystemComparison as SystemComparison,
)
from dialgauge.reproduce._systems import (
    compare_systems as compare_systems,
)
