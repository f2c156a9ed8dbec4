"""A study file ties the rooms together: corpus, metrics, ratings, correlation, report."""

from dialgauge.study._file import AnnotationFile, StudyFile, read_annotation_file, read_study_file
from dialgauge.study._robustness import VariantAnalysis, analyse_variants, write_analysis
from dialgauge.study._study import Study, StudyRun, run_study
from dialgauge.study._template import study_template

__all__ = [
    "AnnotationFile",
    "Study",
    "StudyFile",
    "StudyRun",
    "VariantAnalysis",
    "analyse_variants",
    "read_annotation_file",
    "read_study_file",
    "run_study",
    "study_template",
    "write_analysis",
]
