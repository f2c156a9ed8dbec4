"""A study file ties the rooms together: corpus, metrics, ratings, correlation, report.

Names load on first use: who only reads a finished run does not wait for what makes one.
"""

from typing import TYPE_CHECKING

from dialgauge.lazy import lazy_names

if TYPE_CHECKING:
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
    from dialgauge.study._file import read_annotation_file, read_study_file
    from dialgauge.study._finished import FinishedRun
    from dialgauge.study._publish import TABLE_KINDS, TableOptions, publication_table
    from dialgauge.study._report import report_of_run
    from dialgauge.study._robustness import VariantAnalysis, analyse_variants, write_analysis
    from dialgauge.study._sections import AnnotationFile, StudyFile
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

_HOME = {
    "TABLE_KINDS": "_publish",
    "AnnotationFile": "_sections",
    "Checked": "_compare_runs_conditions",
    "Condition": "_compare_runs_conditions",
    "FinishedRun": "_finished",
    "RunComparison": "_compare_runs",
    "Study": "_study",
    "StudyFile": "_sections",
    "StudyRun": "_study",
    "TableOptions": "_publish",
    "VariantAnalysis": "_robustness",
    "analyse_variants": "_robustness",
    "change_cells": "_compare_runs_render",
    "check_conditions": "_compare_runs_conditions",
    "compare_runs": "_compare_runs",
    "comparison_json": "_compare_runs_render",
    "comparison_markdown": "_compare_runs_render",
    "github_annotations": "_compare_runs_render",
    "junit_xml": "_compare_runs_render",
    "method_line": "_compare_runs_render",
    "parse_condition": "_compare_runs_conditions",
    "parse_names": "_compare_runs",
    "publication_table": "_publish",
    "read_annotation_file": "_file",
    "read_study_file": "_file",
    "report_of_run": "_report",
    "run_study": "_study",
    "study_template": "_template",
    "write_analysis": "_robustness",
}
__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
