"""A study file ties the rooms together: corpus, metrics, ratings, correlation, report."""

from dialgauge.study._file import StudyFile, read_study_file
from dialgauge.study._study import Study, StudyRun, run_study
from dialgauge.study._template import study_template

__all__ = ["Study", "StudyFile", "StudyRun", "read_study_file", "run_study", "study_template"]
