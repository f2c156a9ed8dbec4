"""A study file ties the rooms together: corpus, metrics, ratings, correlation, report."""

from dialgauge.study._compare_runs import RunComparison, compare_runs, parse_names
from dialgauge.study._compare_runs_conditions import Checked, Condition, check_conditions, parse_condition
from dialgauge.study._compare_runs_render import (
    change_cells,
    comparison_json,
    comparison_markdown,
    github_annotations,
    junit_xml,
    method_line,
)
from dialgauge.study._file import AnnotationFile, StudyFile, read_annotation_file, read_study_file
from dialgauge.study._finished import FinishedRun
from dialgauge.study._publish import TABLE_KINDS, TableOptions, publication_table
from dialgauge.study._report import report_of_run
from dialgauge.study._robustness import VariantAnalysis, analyse_variants, write_analysis
from dialgauge.study._study import Study, StudyRun, run_study
from dialgauge.study._template import study_template

__all__ = [
    "TABLE_KINDS",
    "AnnotationFile",
    "Checked",
    "Condition",
    "FinishedRun",
    "RunComparison",
    "Study",
    "StudyFile",
    "StudyRun",
    "TableOptions",
    "VariantAnalysis",
    "analyse_variants",
    "change_cells",
    "check_conditions",
    "compare_runs",
    "comparison_json",
    "comparison_markdown",
    "github_annotations",
    "junit_xml",
    "method_line",
    "parse_condition",
    "parse_names",
    "publication_table",
    "read_annotation_file",
    "read_study_file",
    "report_of_run",
    "run_study",
    "study_template",
    "write_analysis",
]
