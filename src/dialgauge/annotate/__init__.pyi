from dialgauge.annotate._app import (
    create_app as create_app,
)
from dialgauge.annotate._exports import (
    export_project as export_project,
)
from dialgauge.annotate._files import (
    backup_project as backup_project,
    check_audit_log as check_audit_log,
    import_file as import_file,
    restore_backup as restore_backup,
)
from dialgauge.annotate._planner import (
    StudyPlan as StudyPlan,
    plan_study as plan_study,
)
from dialgauge.annotate._project import (
    Link as Link,
    Project as Project,
)
from dialgauge.annotate._protocol import (
    AnnotateSection as AnnotateSection,
    Dimension as Dimension,
)
from dialgauge.annotate._server import (
    serve as serve,
)
from dialgauge.annotate._settings import (
    ServerSettings as ServerSettings,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.annotate._audit import (
    LogCheck as LogCheck,
)
from dialgauge.annotate._exports import (
    FORMATS as FORMATS,
)
from dialgauge.annotate._files import (
    audit_head as audit_head,
    import_kind as import_kind,
)
from dialgauge.annotate._listen import (
    listen as listen,
    run_server as run_server,
)
from dialgauge.annotate._settings import (
    Listening as Listening,
)
from dialgauge.annotate._shield import (
    Application as Application,
    Shield as Shield,
)
