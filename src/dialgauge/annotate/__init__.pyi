from dialgauge.annotate._app import (
    create_api as create_api,
)
from dialgauge.annotate._app import (
    create_app as create_app,
)
from dialgauge.annotate._exports import (
    FORMATS as FORMATS,
)
from dialgauge.annotate._exports import (
    export_project as export_project,
)
from dialgauge.annotate._files import (
    backup_project as backup_project,
)
from dialgauge.annotate._files import (
    import_file as import_file,
)
from dialgauge.annotate._listen import (
    listen as listen,
)
from dialgauge.annotate._listen import (
    run_server as run_server,
)
from dialgauge.annotate._planner import (
    StudyPlan as StudyPlan,
)
from dialgauge.annotate._planner import (
    plan_study as plan_study,
)
from dialgauge.annotate._project import (
    Link as Link,
)
from dialgauge.annotate._project import (
    Project as Project,
)
from dialgauge.annotate._protocol import (
    READY as READY,
)
from dialgauge.annotate._protocol import (
    AnnotateSection as AnnotateSection,
)
from dialgauge.annotate._protocol import (
    Dimension as Dimension,
)
from dialgauge.annotate._protocol import (
    ready_protocol as ready_protocol,
)
from dialgauge.annotate._server import (
    serve as serve,
)
from dialgauge.annotate._shield import (
    Application as Application,
)
from dialgauge.annotate._shield import (
    Shield as Shield,
)
