"""What every page shares: the template engine, its one script with the policy that lets no other run, and its data."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


@cache
def environment() -> Environment:
    """The template engine: what is not marked as ours is escaped, and a name that nobody gave is an error."""
    made = Environment(
        loader=PackageLoader("dialgauge.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(script=_script(), policy=_policy())
    return made


@cache
def _script() -> Markup:
    return Markup(files("dialgauge.report").joinpath("templates/report.js").read_text("utf-8"))


def _policy() -> Markup:
    """The content security policy: nothing from anywhere, and no script but the one with this digest."""
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return Markup("default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:").format(digest)


def data_block(data: Mapping[str, Any]) -> Markup:
    """Data for the script as JSON that cannot end the element it stands in, whatever the texts hold."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup('<script type="application/json" id="data">') + Markup(text) + Markup("</script>")
