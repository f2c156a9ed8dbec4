"""The code that determines the results of a stage."""

from dialgauge import __version__
from dialgauge.registry import defining_module
from dialgauge.sources import NoSourceError, source_digest
from dialgauge.study._context import Context
from dialgauge.study._stage import ALL, Stage

#: Packages that only show results and do not change them.
_SHOWING = ("dialgauge.report", "dialgauge.web")


def code_digest(stage: Stage, context: Context) -> str:
    """A digest of the code that decides what a stage makes in a run: its module, what that imports, and what
    the study asks for by name. Only a stage that shows all others depends on the code of the report.

    Where the source cannot be read (in an archive), the version of dialgauge stands for it.
    """
    modules = {defining_module(type(stage).make), type(stage).__module__, *stage.modules(context)}
    try:
        return source_digest(*modules, without=() if ALL in stage.inputs else _SHOWING)
    except NoSourceError:
        return f"dialgauge {__version__}"
