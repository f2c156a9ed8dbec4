"""From templates to pages: the template engine, style sheets and scripts inside a page, content security policies."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dialgauge.errors import counted

#: The script that pages with tables and figures carry: sorting, filtering, saving, and the text behind a point.
PAGE_SCRIPT = "page.js"


def environment(*folders: tuple[str, str], filters: Mapping[str, Callable[..., Any]] | None = None) -> Environment:
    """The template engine of these folders: packages, and the folder of templates in each.

    What is in none of them is looked up in this room (``page.html``, ``served.html``, ``macros.html``, style sheets).
    What is not marked as safe is escaped, and an undefined name is an error.
    """
    here = (("dialgauge.web", "templates"), ("dialgauge.web", "static"))
    loaders = [PackageLoader(package, folder) for package, folder in (*folders, *here)]
    made = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {"exact": data_value, "html": _displayed, "counted": counted} | dict(filters or {})
    made.globals["inline_css"] = inline_css
    return made


class _Displayed(Protocol):
    def html(self) -> str: ...


def _displayed(shown: _Displayed) -> Markup:
    """What has markup of its own for a page, such as a table."""
    return Markup(shown.html())


def page(
    engine: Environment,
    template: str,
    shown: Mapping[str, Any],
    *,
    scripts: Sequence[str] = (),
    data: Mapping[str, Any] | None = None,
) -> str:
    """A page that is one file, from a template that extends ``page.html``.

    ``shown`` is what the template shows. ``scripts`` name files that the engine finds: together they are the one script
    that the page's policy allows. ``data`` is what it reads, as JSON, from the element with the id ``data``. The same
    input gives the same bytes.
    """
    from dialgauge import __version__

    script = Markup("\n").join(Markup(_source(engine, name)) for name in scripts)
    return engine.get_template(template).render(
        language="en",
        version=__version__,
        policy=Markup(inline_policy(script)),
        script=script,
        data_block=Markup("") if data is None else data_block(data),
        **shown,
    )


def _source(engine: Environment, name: str) -> str:
    assert engine.loader is not None
    return engine.loader.get_source(engine, name)[0]


@cache
def inline_css(*names: str) -> Markup:
    """Style sheets of this room, such as ``tokens.css``, for the inside of a ``<style>`` element."""
    return Markup("").join(Markup((static_folder() / name).read_text("utf-8")) for name in names)


def static_folder() -> Path:
    """The folder of style sheets that a server gives under ``/static/web``, where ``served.html`` looks for them."""
    return Path(str(files("dialgauge.web"))) / "static"


def inline_policy(script: str = "") -> str:
    """The content security policy of a page that is one file: no external resources, and no script but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'; " if script else ""
    return f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:"


def served_policy(nonce: str | None) -> str:
    """The content security policy of a server's response: nothing at all, or a page whose scripts have this nonce."""
    policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    if nonce is None:
        return policy
    own = "style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'"
    return f"{policy}; script-src 'nonce-{nonce}'; worker-src 'self'; {own}"


def data_value(shown: float | Sequence[float | None] | None) -> Markup:
    """The attribute from which the CSV of a table has the numbers of a cell, with more digits than the cell shows: a
    value, or a value with both ends of its interval."""
    numbers = (shown,) if shown is None or isinstance(shown, float | int) else tuple(shown)
    if None in numbers:
        numbers = numbers[:1]
    known = " ".join(f"{number + 0.0:.5g}" for number in numbers if number is not None)
    return Markup(' data-value="{}"').format(known) if known else Markup("")


def data_block(data: Mapping[str, Any]) -> Markup:
    """Data for the script of a page as JSON that cannot close its element, whatever the texts contain."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup('<script type="application/json" id="data">{}</script>').format(Markup(text))
