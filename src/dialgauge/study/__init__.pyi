from dialgauge.study._compare_runs import (
    RunComparison as RunComparison,
    compare_runs as compare_runs,
)
from dialgauge.study._compare_runs_conditions import (
    Checked as Checked,
    Condition as Condition,
    check_conditions as check_conditions,
)
from dialgauge.study._compare_runs_tables import (
    comparison_tables as comparison_tables,
    condition_table as condition_table,
)
from dialgauge.study._context import (
    Context as Context,
)
from dialgauge.study._file import (
    read_annotation_file as read_annotation_file,
    read_study_file as read_study_file,
)
from dialgauge.study._finished import (
    FinishedRun as FinishedRun,
)
from dialgauge.study._publish import (
    TableOptions as TableOptions,
    publication_table as publication_table,
    table_kinds as table_kinds,
)
from dialgauge.study._robustness import (
    VariantAnalysis as VariantAnalysis,
    analyse_variants as analyse_variants,
)
from dialgauge.study._settings import (
    RunComparisonSettings as RunComparisonSettings,
)
from dialgauge.study._stage import (
    Section as Section,
    Stage as Stage,
    TableKind as TableKind,
)
from dialgauge.study._study import (
    Study as Study,
    StudyRun as StudyRun,
    run_study as run_study,
)
from dialgauge.study._study_file import (
    SectionModel as SectionModel,
    StudyFile as StudyFile,
)
from dialgauge.study._verdicts import (
    verdicts_of as verdicts_of,
)
from dialgauge.study.stages.report import (
    report_of_run as report_of_run,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.study._compare_runs import (
    parse_names as parse_names,
)
from dialgauge.study._compare_runs_conditions import (
    parse_condition as parse_condition,
)
from dialgauge.study._compare_runs_render import (
    comparison_json as comparison_json,
    comparison_markdown as comparison_markdown,
    github_annotations as github_annotations,
    junit_xml as junit_xml,
    method_line as method_line,
)
from dialgauge.study._rated_corpus import (
    rated_corpus as rated_corpus,
)
from dialgauge.study._robustness import (
    write_analysis as write_analysis,
)
from dialgauge.study._template import (
    study_template as study_template,
)
from dialgauge.study._verdicts import (
    judged_in as judged_in,
    needed_verdicts as needed_verdicts,
    told_in as told_in,
)
from dialgauge.study.stages.corpus import (
    CorpusSection as CorpusSection,
)
from dialgauge.study.stages.report import (
    figures_of_run as figures_of_run,
)
from dialgauge.study.stages.summaries import (
    SummarizeSection as SummarizeSection,
)
