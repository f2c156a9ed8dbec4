"""Original against reproduction, and the tables of published papers recomputed from their raw data."""

from dialgauge.reproduce._compare import Comparison, Shift, compare, kendall_w
from dialgauge.reproduce._compare_render import ComparisonReport, comparison_html, comparison_json
from dialgauge.reproduce._conclusions import (
    Claim,
    Conclusions,
    check_claims,
    claims_from,
    parse_comparison,
    read_claims,
)
from dialgauge.reproduce._cv import Variation, c4, cv_star
from dialgauge.reproduce._heds import Datasheet, draft_datasheet, heds_questions, read_answers
from dialgauge.reproduce._intervals import Range, cv_star_range, spearman_range
from dialgauge.reproduce._papers import PAPERS, recompute_paper
from dialgauge.reproduce._print_checks import WrongBold, WrongStars, check_bold, check_stars, repeated_names, stars_of
from dialgauge.reproduce._printed import (
    Cell,
    Defect,
    Layout,
    LayoutRow,
    PaperCheck,
    Printed,
    PrintedTable,
    TableCheck,
    check_table,
    load_printed,
    parse_printed,
    printed_rows,
    round_half_up,
    round_twice,
    study_folder,
)
from dialgauge.reproduce._qra import QraLine, qra_view, show_number, show_p_value
from dialgauge.reproduce._render import paper_csv, paper_html, paper_json, table_json
from dialgauge.reproduce._settings import shared_annotators, sweep_settings
from dialgauge.reproduce._studies import (
    Agreed,
    StudyResults,
    is_printed_table,
    printed_results,
    rated_results,
    read_printed,
)
from dialgauge.reproduce._systems import SystemComparison, compare_systems

__all__ = [
    "PAPERS",
    "Agreed",
    "Cell",
    "Claim",
    "Comparison",
    "ComparisonReport",
    "Conclusions",
    "Datasheet",
    "Defect",
    "Layout",
    "LayoutRow",
    "PaperCheck",
    "Printed",
    "PrintedTable",
    "QraLine",
    "Range",
    "Shift",
    "StudyResults",
    "SystemComparison",
    "TableCheck",
    "Variation",
    "WrongBold",
    "WrongStars",
    "c4",
    "check_bold",
    "check_claims",
    "check_stars",
    "check_table",
    "claims_from",
    "compare",
    "compare_systems",
    "comparison_html",
    "comparison_json",
    "cv_star",
    "cv_star_range",
    "draft_datasheet",
    "heds_questions",
    "is_printed_table",
    "kendall_w",
    "load_printed",
    "paper_csv",
    "paper_html",
    "paper_json",
    "parse_comparison",
    "parse_printed",
    "printed_results",
    "printed_rows",
    "qra_view",
    "rated_results",
    "read_answers",
    "read_claims",
    "read_printed",
    "recompute_paper",
    "repeated_names",
    "round_half_up",
    "round_twice",
    "shared_annotators",
    "show_number",
    "show_p_value",
    "spearman_range",
    "stars_of",
    "study_folder",
    "sweep_settings",
    "table_json",
]
