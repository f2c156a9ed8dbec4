from dialgauge.annotate._app import (
    create_api as create_api,
    create_app as create_app,
)
from dialgauge.annotate._exports import (
    FORMATS as FORMATS,
    export_project as export_project,
)
from dialgauge.annotate._files import (
    backup_project as backup_project,
    import_file as import_file,
)
from dialgauge.annotate._listen import (
    listen as listen,
    run_server as run_server,
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
    READY as READY,
    AnnotateSection as AnnotateSection,
    Dimension as Dimension,
    ready_protocol as ready_protocol,
)
from dialgauge.annotate._server import (
    serve as serve,
)
from dialgauge.annotate._shield import (
    Application as Application,
    Shield as Shield,
)
