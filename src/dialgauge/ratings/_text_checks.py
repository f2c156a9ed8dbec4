"""Data checks on the texts around the ratings: comments that nobody wrote, summaries that occur twice."""

from collections.abc import Generator, Iterator
from itertools import combinations

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.ratings._findings import Finding, Severity

#: A comment this often, in this share of what an annotator saved, is not a remark on a summary.
_COMMENT_COUNT, _COMMENT_SHARE = 10, 0.1
#: A system whose text is the reference's in this share of its dialogues is the reference.
_REFERENCE_SHARE = 0.9


def check_comments(ratings: pl.DataFrame) -> Iterator[Finding]:
    """The same comment on a large share of one annotator's summaries: the default text of a form, saved with it."""
    saved = ratings.with_columns(pl.col("comment").str.strip_chars()).unique(["annotator", *KEY, "comment"])
    total = saved.select(pl.struct("annotator", *KEY).n_unique().over("annotator").alias("n"), "annotator").unique()
    same = (
        saved.filter(pl.col("comment").str.len_chars() > 0)
        .group_by("annotator", "comment")
        .len("count")
        .join(total, on="annotator")
        .filter((pl.col("count") >= _COMMENT_COUNT) & (pl.col("count") >= _COMMENT_SHARE * pl.col("n")))
        .sort("count", "annotator", "comment", descending=[True, False, False])
    )
    for row in same.iter_rows(named=True):
        message = (
            f"the comment {_shorten(row['comment'])!r} is on {row['count']} of {row['n']} summaries: it looks like "
            "the default text of a form, not like a real comment"
        )
        evidence = {"comment": row["comment"], "count": row["count"], "summaries": row["n"]}
        yield Finding("default-comment", "warning", f"annotator {row['annotator']}", message, evidence)


def _shorten(text: str, width: int = 40) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def check_summaries(summaries: pl.DataFrame) -> Iterator[Finding]:
    """Summaries with the same text (except case and spaces) of two systems or dialogues, and hidden references."""
    plain = pl.col("text").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    texts = summaries.filter(pl.col("variant") == "original").with_columns(plain.alias("plain"))
    written = texts.filter((pl.col("kind") == "system") & (pl.col("plain") != ""))
    references = texts.filter(pl.col("kind") == "reference")
    hidden = yield from _hidden_references(written, references)
    yield from _same_dialogue(written.filter(~pl.col("system").is_in(hidden)))
    repeated = (
        written.group_by("plain")
        .agg(pl.col("dialogue_id").unique().sort(), pl.col("system").unique().sort())
        .filter(pl.col("dialogue_id").list.len() > 1)
        .sort("plain")
    )
    for text, dialogues, systems in repeated.iter_rows():
        message = f"the same summary occurs in {len(dialogues)} dialogues: {_shorten(text)!r}"
        where = f"dialogues {', '.join(dialogues[:4])}{' …' if len(dialogues) > 4 else ''}"
        evidence = {"dialogues": dialogues, "systems": systems, "text": text}
        yield Finding("duplicated-summary", "warning", where, message, evidence)


def _hidden_references(written: pl.DataFrame, references: pl.DataFrame) -> Generator[Finding, None, list[str]]:
    """Findings for systems that are the reference under another name; returns their names (use ``yield from``)."""
    both = written.join(references.select("dialogue_id", "role", "plain").unique(), on=["dialogue_id", "role"])
    shares = both.group_by("system").agg(
        pl.col("dialogue_id").n_unique().alias("dialogues"),
        pl.col("dialogue_id").filter(pl.col("plain") == pl.col("plain_right")).n_unique().alias("equal"),
    )
    hidden = shares.filter(pl.col("equal") >= _REFERENCE_SHARE * pl.col("dialogues")).sort("system")
    for system, dialogues, equal in hidden.iter_rows():
        message = (
            f"its summary is the reference in {equal} of {dialogues} dialogues: it reaches the maximum of every metric "
            "that compares with the reference; report whether it counts as a system"
        )
        yield Finding("system-is-reference", "warning", f"system {system}", message, {"equal": equal, "of": dialogues})
    return hidden["system"].to_list()


def _same_dialogue(written: pl.DataFrame) -> Iterator[Finding]:
    groups = (
        written.group_by("dialogue_id", "role", "plain")
        .agg(pl.col("system").unique().sort())
        .filter(pl.col("system").list.len() > 1)
        .sort("dialogue_id", "role")
    )
    dialogues = dict(written.group_by("system").agg(pl.col("dialogue_id").n_unique()).iter_rows())
    pairs: dict[tuple[str, str], list[str]] = {}
    for dialogue, _, _, systems in groups.iter_rows():
        for pair in combinations(systems, 2):
            pairs.setdefault(pair, []).append(dialogue)
    for pair, where in sorted(pairs.items(), key=lambda item: (-len(item[1]), item[0])):
        total = min(dialogues[name] for name in pair)
        severity: Severity = "warning" if len(where) > total / 2 and total > 1 else "note"
        message = f"the same summary in {len(where)} of {total} dialogues"
        evidence = {"dialogues": where, "of": total}
        yield Finding("duplicated-summary", severity, f"systems {pair[0]} and {pair[1]}", message, evidence)
