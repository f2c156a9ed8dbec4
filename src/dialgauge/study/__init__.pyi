from dialgauge.study._compare_runs import (
    RunComparison as RunComparison,
)
from dialgauge.study._compare_runs import (
    compare_runs as compare_runs,
)
from dialgauge.study._compare_runs import (
    parse_names as parse_names,
)
from dialgauge.study._compare_runs_conditions import (
    Checked as Checked,
)
from dialgauge.study._compare_runs_conditions import (
    Condition as Condition,
)
from dialgauge.study._compare_runs_conditions import (
    check_conditions as check_conditions,
)
from dialgauge.study._compare_runs_conditions import (
    parse_condition as parse_condition,
)
from dialgauge.study._compare_runs_render import (
    change_cells as change_cells,
)
from dialgauge.study._compare_runs_render import (
    comparison_json as comparison_json,
)
from dialgauge.study._compare_runs_render import (
    comparison_markdown as comparison_markdown,
)
from dialgauge.study._compare_runs_render import (
    github_annotations as github_annotations,
)
from dialgauge.study._compare_runs_render import (
    junit_xml as junit_xml,
)
from dialgauge.study._compare_runs_render import (
    method_line as method_line,
)
from dialgauge.study._file import (
    read_annotation_file as read_annotation_file,
)
from dialgauge.study._file import (
    read_study_file as read_study_file,
)
from dialgauge.study._finished import (
    FinishedRun as FinishedRun,
)
from dialgauge.study._publish import (
    TABLE_KINDS as TABLE_KINDS,
)
from dialgauge.study._publish import (
    TableOptions as TableOptions,
)
from dialgauge.study._publish import (
    publication_table as publication_table,
)
from dialgauge.study._report import (
    report_of_run as report_of_run,
)
from dialgauge.study._robustness import (
    VariantAnalysis as VariantAnalysis,
)
from dialgauge.study._robustness import (
    analyse_variants as analyse_variants,
)
from dialgauge.study._robustness import (
    write_analysis as write_analysis,
)
from dialgauge.study._sections import (
    AnnotationFile as AnnotationFile,
)
from dialgauge.study._sections import (
    StudyFile as StudyFile,
)
from dialgauge.study._study import (
    Study as Study,
)
from dialgauge.study._study import (
    StudyRun as StudyRun,
)
from dialgauge.study._study import (
    run_study as run_study,
)
from dialgauge.study._template import (
    study_template as study_template,
)
