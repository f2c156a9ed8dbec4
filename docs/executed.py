"""Sphinx extension of executed pages: tutorials and the gallery are notebooks, written as Markdown.

The ``python`` blocks and ``$ …`` lines of ``console`` blocks of a page run in one process and one empty folder, in
order, as a reader would run them; what a block prints and the value of its last line (a chart, a table) stand below it.
A ``screenshot`` block becomes a picture (``screenshots``). Each page is also written as a notebook with its outputs,
which the page offers for download. An error fails the build. All this happens in a process of its own, while Sphinx
reads the other pages.
"""

import ast
import contextlib
import html
import io
import json
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from screenshots import Picture, taken
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_BLOCK = re.compile(r"^```(python|console|screenshot)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
#: Pages that are executed.
EXECUTED = re.compile(r"^(tutorials/.*|gallery)$")
_MOST_LINES = 40
_COLUMNS = "84"


@dataclass
class Output:
    """What a block showed: text, and the last value as HTML or SVG."""

    text: str = ""
    picture: str = ""
    table: str = ""


@dataclass
class Page:
    """A page in the making: its names, and the cells of its notebook."""

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    cells: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Executed:
    """A page with outputs below its blocks, the same as a notebook, and its pictures."""

    text: str
    notebook: dict[str, Any]
    pictures: list[Picture]


def executed(text: str, pictures_at: str = "pictures") -> Executed:
    """Run a page; ``pictures_at`` is where it will find its pictures."""
    page, parts, place, pictures = Page(), [], 0, []
    with _empty_folder():
        for block in _BLOCK.finditer(text):
            said = text[place : block.start()]
            if block[1] == "screenshot":
                pictures.append(taken(block[2]))
                page.cells += [_markdown(said), _markdown(pictures[-1].markdown())]
                parts += [said, f"```{{raw}} html\n{pictures[-1].markup(pictures_at)}\n```\n"]
                place = block.end()
                continue
            output = _run(page, block[1], block[2])
            page.cells += [_markdown(said), _code(block[1], block[2], output, len(page.cells) + 1)]
            shown = block[0] if block[1] == "python" else f"```console\n{_commands(block[2])}```\n"
            parts += [said, shown, _shown(output)]
            place = block.end()
    rest = text[place:]
    cells = [cell for cell in [*page.cells, _markdown(rest)] if "".join(cell["source"]).strip()]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return Executed("".join([*parts, rest]), notebook, pictures)


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    home = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="dialgauge-tutorial-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(home)


def _run(page: Page, kind: str, source: str) -> Output:
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            value = _python(page, source) if kind == "python" else _console(source)
    except BaseException as error:
        raise ExtensionError(f"a block of the page failed: {error!r}\n{source}\n{out.getvalue()}") from error
    output = Output(out.getvalue().replace(f"{Path.cwd()}/", ""))
    if (hasattr(value, "to_dict") and hasattr(value, "mark_point")) or type(value).__name__ in (
        "LayerChart",
        "HConcatChart",
    ):
        import vl_convert

        from dialgauge.plots import with_wide_font

        output.picture = vl_convert.vegalite_to_svg(with_wide_font(value).to_dict())
    elif hasattr(value, "_repr_html_"):
        output.table = value._repr_html_()
    elif value is not None:
        output.text += f"{value!r}\n"
    return output


def _python(page: Page, source: str) -> Any:
    """Run a block; the value of a last line that is an expression, as in a notebook."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<page>", "exec"), page.names)
    if last is None:
        return None
    if isinstance(last.value, ast.Call) and ast.unparse(last.value.func).endswith(".write_text"):
        exec(compile(ast.Module([last], []), "<page>", "exec"), page.names)
        return None  # how many characters a file has is of no interest
    return eval(compile(ast.Expression(last.value), "<page>", "eval"), page.names)  # type: ignore[attr-defined]


def _console(source: str) -> None:
    """Run the commands of a block in this process, as wide as a page."""
    import shlex

    from dialgauge.cli import main

    for line in _commands(source).splitlines():
        words = shlex.split(line.removeprefix("$ "))
        before, sys.argv, os.environ["COLUMNS"] = sys.argv, words, _COLUMNS
        try:
            main()
        except SystemExit as leaving:
            if leaving.code:
                raise
        finally:
            sys.argv = before


def _commands(source: str) -> str:
    return "".join(line + "\n" for line in source.splitlines() if line.startswith("$ "))


def _shown(output: Output) -> str:
    lines = output.text.rstrip().splitlines()
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… and {len(lines) - _MOST_LINES} more lines"]
    text = "\n```text\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n" if lines else ""
    raw = output.picture or output.table
    wrapped = f'\n```{{raw}} html\n<div class="output">{_one_line(raw)}</div>\n```\n' if raw else ""
    return text + wrapped


def _one_line(markup: str) -> str:
    return re.sub(r">\s*\n\s*<", "><", markup)


def _markdown(text: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "metadata": {},
        "id": f"m{zlib.crc32(text.encode())}",
        "source": text.splitlines(True),
    }


def _code(kind: str, source: str, output: Output, number: int) -> dict[str, Any]:
    shell = "".join(f"!{line.removeprefix('$ ')}\n" for line in _commands(source).splitlines())
    code = source if kind == "python" else shell
    outputs: list[dict[str, Any]] = []
    if output.text:
        outputs.append({"output_type": "stream", "name": "stdout", "text": output.text.splitlines(True)})
    if output.picture or output.table:
        held = {"image/svg+xml": output.picture} if output.picture else {"text/html": output.table}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": held})
    return {
        "cell_type": "code",
        "metadata": {},
        "id": f"c{number}",
        "execution_count": number,
        "source": code.splitlines(True),
        "outputs": outputs,
    }


def _start(app: Sphinx) -> None:
    """Hand the pages to a process of its own."""
    app.executed_by = ProcessPoolExecutor(1, mp_context=get_context("spawn"))  # type: ignore[attr-defined]
    app.executed_pages = {  # type: ignore[attr-defined]
        name: app.executed_by.submit(  # type: ignore[attr-defined]
            executed, app.project.doc2path(name, absolute=True).read_text("utf-8"), _pictures_from(name)
        )
        for name in sorted(app.project.discover())
        if EXECUTED.match(name)
    }


def _pictures_from(name: str) -> str:
    return "../" * name.count("/") + "pictures"


def _insert(app: Sphinx, name: str, source: list[str]) -> None:
    if not EXECUTED.match(name):
        return
    page = app.executed_pages[name].result()  # type: ignore[attr-defined]
    target = Path(app.outdir) / f"{name}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(page.notebook, ensure_ascii=False, indent=1), encoding="utf-8")
    for picture in page.pictures:
        picture.save(Path(app.outdir) / "pictures")
    link = html.escape(Path(name).name)
    source[0] = (
        page.text + f'\n```{{raw}} html\n<p><a href="{link}.ipynb" download>This page as a notebook</a></p>\n```\n'
    )


def _finish(app: Sphinx, error: Exception | None) -> None:
    app.executed_by.shutdown(cancel_futures=True)  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, Any]:
    """Start with the build, and put each page in place of its source."""
    app.connect("builder-inited", _start)
    app.connect("source-read", _insert)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": False, "version": "1"}
