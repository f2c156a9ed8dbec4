"""The web application for human evaluation: protocols, projects, the server, exports, imports and a planner.

Needs the extra ``annotate``; reading a protocol does not.
"""

from typing import TYPE_CHECKING

from dialgauge.annotate._protocol import READY, AnnotateSection, Dimension, ready_protocol
from dialgauge.lazy import lazy_names

if TYPE_CHECKING:
    from dialgauge.annotate._app import create_api, create_app
    from dialgauge.annotate._exports import FORMATS, export_project
    from dialgauge.annotate._files import backup_project, import_file
    from dialgauge.annotate._listen import listen, run_server
    from dialgauge.annotate._planner import StudyPlan, plan_study
    from dialgauge.annotate._project import Link, Project
    from dialgauge.annotate._server import serve
    from dialgauge.annotate._shield import Application, Shield

__all__ = [
    "FORMATS",
    "READY",
    "AnnotateSection",
    "Application",
    "Dimension",
    "Link",
    "Project",
    "Shield",
    "StudyPlan",
    "backup_project",
    "create_api",
    "create_app",
    "export_project",
    "import_file",
    "listen",
    "plan_study",
    "ready_protocol",
    "run_server",
    "serve",
]

#: Where the names live that need the extra; a study file is checked without it.
_LAZY = {
    "Application": "_shield",
    "FORMATS": "_exports",
    "Link": "_project",
    "Project": "_project",
    "Shield": "_shield",
    "StudyPlan": "_planner",
    "backup_project": "_files",
    "create_api": "_app",
    "create_app": "_app",
    "export_project": "_exports",
    "import_file": "_files",
    "listen": "_listen",
    "plan_study": "_planner",
    "run_server": "_listen",
    "serve": "_server",
}
__getattr__ = lazy_names(__name__, _LAZY, feature="the web application", extra="annotate")
