"""Shell completion: names from the table of names without any import; systems and dimensions from the corpus."""

import typer

from dialgauge.registry import completer

complete_metric = completer("metric", all="all metrics")
complete_perturbation = completer("perturbation", all="all perturbations")
complete_summarizer = completer("summarizer")
complete_tagger = completer("tagger")
complete_learner = completer("learner")
complete_split = completer("split")
complete_language = completer("language")
complete_paper = completer("paper")


def complete_corpus(incomplete: str) -> list[tuple[str, str]]:
    """Corpora that are no files; where none fits, the shell completes names of files."""
    named = {"embedded": "the corpus that ships with dialgauge", "dataset:": "a public data set"}
    return [(name, what) for name, what in named.items() if incomplete and name.startswith(incomplete)]


def complete_system(context: typer.Context, incomplete: str) -> list[str]:
    """The systems of the corpus that the command line names already."""
    return _in_corpus(context, "system", incomplete)


def complete_dimension(context: typer.Context, incomplete: str) -> list[str]:
    """The rated dimensions of the corpus that the command line names already."""
    return _in_corpus(context, "dimension", incomplete)


def _in_corpus(context: typer.Context, use: str, incomplete: str) -> list[str]:
    from dialgauge.corpus import peek

    # Before an option without its value, words are not yet given to arguments; the corpus is the first of them.
    source = context.params.get("corpus") or next(iter(context.args), "")
    return [name for name in peek(str(source), use) if name.startswith(incomplete)] if source else []
