"""Sphinx extension: the same pages in less time.

On every page the theme asks for the tree of all pages, by titles only; Sphinx copies the headings and names of all of
them before it drops these again. A type in a list of parameters is looked for among all names, each time anew. The
search looks for the stem of a word once a page. And of modules with documented names Sphinx finds the lines of every
definition, which only pages with source code show.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.pycode.parser import Parser
from sphinx.search.en import SearchEnglish


class RememberingDomain(PythonDomain):
    """Names of Python: once all pages are read, a name is looked for once, and only if some name ends like it."""

    remembered: dict[Any, list[Any]] | None = None
    last_parts: frozenset[str] = frozenset()

    def find_obj(self, env: BuildEnvironment, module: Any, owner: Any, name: str, *more: Any) -> list[Any]:
        """Where a name is documented."""
        if self.remembered is None:
            return super().find_obj(env, module, owner, name, *more)
        if name.removesuffix("()").rpartition(".")[2] not in self.last_parts:
            return []
        key = (module, owner, name, *more)
        if key not in self.remembered:
            self.remembered[key] = super().find_obj(env, module, owner, name, *more)
        return list(self.remembered[key])


def titles(toc: nodes.bullet_list) -> nodes.bullet_list:
    """The title of a page, and the pages below it, without its other headings and the names that it documents."""
    copy = toc.deepcopy()
    for entry in copy.children:
        if isinstance(entry, nodes.Element) and len(entry) > 1:
            trees = list(entry.findall(addnodes.toctree))
            del entry[1:]
            if trees:
                entry.append(nodes.bullet_list("", *trees))
    return copy


def _all_read(app: Sphinx, env: BuildEnvironment) -> None:
    domain = env.domains.python_domain
    if isinstance(domain, RememberingDomain):
        domain.remembered = {}
        domain.last_parts = frozenset(name.rpartition(".")[2] for name in domain.objects)


def _tree_by_titles(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    whole: Callable[..., str] | None = context.get("toctree")
    if whole is None:
        return
    env = app.env
    if not hasattr(app, "tocs_by_title"):
        app.tocs_by_title = {name: titles(toc) for name, toc in env.tocs.items()}  # type: ignore[attr-defined]

    def tree(**options: Any) -> str:
        before = env.tocs
        env.tocs = app.tocs_by_title if options.get("titles_only") else before  # type: ignore[attr-defined]
        try:
            return whole(**options)
        finally:
            env.tocs = before

    context["toctree"] = tree


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all of it."""
    Parser.parse_definition = lambda self: None  # type: ignore[method-assign]
    SearchEnglish.stem = cache(SearchEnglish.stem)  # type: ignore[method-assign]
    app.add_domain(RememberingDomain, override=True)
    app.connect("env-updated", _all_read)
    app.connect("html-page-context", _tree_by_titles, priority=400)  # before the theme, which is at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
