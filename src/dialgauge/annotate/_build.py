"""A project from a corpus: its texts, its items, and every annotator's pages."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._planning import Bundle, choose_groups, choose_pairs, share_out, shuffled
from dialgauge.annotate._protocol import AnnotateSection, TrainingItem
from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, UnknownNameError

#: What an attention check says. It asks for an end of the scale, so that it fits every scale.
CHECKS = {
    "en": {
        "lowest": "This is an attention check, not a summary. Please choose the lowest point on every scale.",
        "highest": "This is an attention check, not a summary. Please choose the highest point on every scale.",
    },
    "zh": {
        "lowest": "这不是摘要，而是一道注意力检查题。请在每个量表上选择最低分。",
        "highest": "这不是摘要，而是一道注意力检查题。请在每个量表上选择最高分。",
    },
    "fr": {
        "lowest": "Ceci est une vérification de l’attention, pas un résumé. "
        "Choisissez le point le plus bas de chaque échelle.",
        "highest": "Ceci est une vérification de l’attention, pas un résumé. "
        "Choisissez le point le plus haut de chaque échelle.",
    },
    "de": {
        "lowest": "Dies ist eine Prüfung der Aufmerksamkeit, keine Zusammenfassung. "
        "Bitte wählen Sie auf jeder Skala den niedrigsten Punkt.",
        "highest": "Dies ist eine Prüfung der Aufmerksamkeit, keine Zusammenfassung. "
        "Bitte wählen Sie auf jeder Skala den höchsten Punkt.",
    },
    "es": {
        "lowest": "Esto es un control de atención, no un resumen. Elija el punto más bajo de cada escala.",
        "highest": "Esto es un control de atención, no un resumen. Elija el punto más alto de cada escala.",
    },
    "pt": {
        "lowest": "Isto é uma verificação de atenção, não um resumo. Escolha o ponto mais baixo de cada escala.",
        "highest": "Isto é uma verificação de atenção, não um resumo. Escolha o ponto mais alto de cada escala.",
    },
    "ja": {
        "lowest": "これは要約ではなく、注意力の確認です。すべての尺度で最も低い点を選んでください。",
        "highest": "これは要約ではなく、注意力の確認です。すべての尺度で最も高い点を選んでください。",
    },
    "ar": {
        "lowest": "هذا اختبار للانتباه وليس ملخصًا. اختر أدنى نقطة في كل مقياس.",
        "highest": "هذا اختبار للانتباه وليس ملخصًا. اختر أعلى نقطة في كل مقياس.",
    },
}
#: The initial state of an answer.
EMPTY_ANSWER: dict[str, Any] = {"values": {}, "spans": [], "text": None, "comment": "", "by_default": []}


def opaque() -> str:
    """An identifier that says nothing: 128 random bits."""
    return secrets.token_urlsafe(16)


def insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows, giving the ids of tables that count theirs."""
    if not rows:
        return []
    if table.c[next(iter(table.primary_key)).name].type.python_type is not int:
        connection.execute(sa.insert(table), list(rows))
        return []
    if connection.dialect.name == "postgresql":
        # Others may be inserting at the same moment.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6173)")
    first = (connection.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0) + 1
    numbered = [{"id": first + offset, **row} for offset, row in enumerate(rows)]
    connection.execute(sa.insert(table), numbered)
    return [row["id"] for row in numbered]


@dataclass(frozen=True, slots=True)
class Built:
    """What the corpus became: bundles in the study's order, and the bundles for training."""

    bundles: tuple[Bundle, ...]
    training: tuple[Bundle, ...]


def add_texts(connection: Connection, corpus: Corpus, section: AnnotateSection, seed: int) -> Built:
    """Store dialogues, summaries and items of the corpus."""
    summaries = chosen_summaries(corpus, section)
    order = _dialogue_order(corpus, summaries, section, seed)
    numbers = _store_dialogues(connection, corpus, order)
    wanted = summaries.filter(pl.col("dialogue_id").is_in(order))
    training = _add_training(connection, corpus, section, numbers)
    # References are stored even if they are not shown: the exported corpus has them.
    unused = corpus.references.filter(pl.col("dialogue_id").is_in(order)).join(wanted, on=KEY, how="anti")
    ids = _store_summaries(connection, pl.concat([wanted, unused]), numbers)
    shown = shown_references(unused, section)
    bundles: list[Bundle] = []
    for dialogue_id in order:
        if dialogue_id in _training_dialogues(section):
            continue
        here = wanted.filter(pl.col("dialogue_id") == dialogue_id)
        roles = [section.roles[0] if section.roles else "overall"] if section.task == "write" else None
        for role in roles or here["role"].unique(maintain_order=True).to_list():
            mine = [ids[key] for key in here.filter(pl.col("role") == role).select(KEY).rows()]
            reference = shown.get((dialogue_id, role))
            beside = None if reference is None else ids[reference]
            rows = item_rows(section, numbers[dialogue_id], role, mine, beside, seed)
            if dialogue_id in _gold_dialogues(section):
                insert(connection, t.item, _gold_rows(section, dialogue_id, rows, here.filter(pl.col("role") == role)))
            elif rows:
                bundles.append(Bundle(numbers[dialogue_id], role, tuple(insert(connection, t.item, rows))))
    if not bundles:
        raise InputError("annotate: the corpus has no summaries of the systems and roles that the study file names")
    return Built(tuple(bundles), training)


def chosen_summaries(corpus: Corpus, section: AnnotateSection) -> pl.DataFrame:
    """The summaries that are rated."""
    frame = corpus.summaries
    if section.systems is not None:
        known = set(frame["system"])
        for name in section.systems:
            if name not in known:
                raise UnknownNameError("system", name, known)
        frame = frame.filter(pl.col("system").is_in(section.systems))
    if not section.include_references:
        frame = frame.filter(pl.col("kind") == "system")
    if section.roles is not None:
        frame = frame.filter(pl.col("role").is_in(section.roles))
    return frame


def _dialogue_order(corpus: Corpus, summaries: pl.DataFrame, section: AnnotateSection, seed: int) -> list[str]:
    with_summaries = set(corpus.dialogues["dialogue_id"] if section.task == "write" else summaries["dialogue_id"])
    order = [name for name in corpus.dialogues["dialogue_id"] if name in with_summaries]
    # A part of the corpus is sampled, not cut off its top: corpora are often sorted by domain.
    if section.dialogues is not None and section.dialogues < len(order):
        drawn = set(shuffled(order, seed, "dialogues")[: section.dialogues])
        order = [name for name in order if name in drawn]
    return order + [name for name in _training_dialogues(section) + _gold_dialogues(section) if name not in order]


def _training_dialogues(section: AnnotateSection) -> list[str]:
    items = section.training.items if section.training else []
    return list(dict.fromkeys(item.dialogue for item in items if item.dialogue is not None))


def _gold_dialogues(section: AnnotateSection) -> list[str]:
    return list(dict.fromkeys(item.dialogue for item in section.gold.items)) if section.gold else []


def _gold_rows(
    section: AnnotateSection, dialogue_id: str, rows: list[dict[str, Any]], here: pl.DataFrame
) -> list[dict[str, Any]]:
    """All items of a dialogue with gold items: with what is expected, where it is known."""
    known = (
        {item.system: item.expected for item in section.gold.items if item.dialogue == dialogue_id}
        if section.gold
        else {}
    )
    unknown = next((name for name in known if name not in set(here["system"])), None)
    if unknown is not None:
        raise UnknownNameError(f"gold item of {dialogue_id}: system", unknown, here["system"])
    return [
        {**row, "purpose": "gold", "expected": known.get(system)}
        for row, system in zip(rows, here["system"], strict=True)
    ]


def store_texts(
    connection: Connection, corpus: Corpus, summaries: pl.DataFrame, numbers: dict[str, int]
) -> dict[tuple[str, ...], int]:
    """Store summaries, and dialogues of theirs that are not in ``numbers`` yet, where they are added."""
    new = [name for name in summaries["dialogue_id"].unique(maintain_order=True) if name not in numbers]
    numbers.update(_store_dialogues(connection, corpus, new))
    return _store_summaries(connection, summaries, numbers)


def _store_dialogues(connection: Connection, corpus: Corpus, order: Sequence[str]) -> dict[str, int]:
    rows = []
    for dialogue_id in order:
        found = corpus.dialogue(dialogue_id)
        turns = [{"speaker": turn.speaker, "role": turn.role, "text": turn.text} for turn in found.turns]
        rows.append({"dialogue_id": found.id, "language": found.language, "turns": turns, "own": False})
    return dict(zip(order, insert(connection, t.dialogue, rows), strict=True))


def shown_references(frame: pl.DataFrame, section: AnnotateSection) -> dict[tuple[str, str], tuple[str, ...]]:
    """The key of the reference that is shown with each dialogue and role: the first of several."""
    if "reference" not in section.show:
        return {}
    first = frame.unique(["dialogue_id", "role"], keep="first", maintain_order=True)
    return {(key[0], key[3]): key for key in first.select(KEY).rows()}


def _store_summaries(
    connection: Connection, frame: pl.DataFrame, numbers: Mapping[str, int]
) -> dict[tuple[str, ...], int]:
    rows = [
        {
            "dialogue": numbers[row["dialogue_id"]],
            **{column: row[column] for column in ("system", "variant", "role", "kind", "text")},
        }
        for row in frame.iter_rows(named=True)
    ]
    return dict(zip(frame.select(KEY).rows(), insert(connection, t.summary, rows), strict=True))


def item_rows(
    section: AnnotateSection, dialogue: int, role: str, summaries: list[int], reference: int | None, seed: int
) -> list[dict[str, Any]]:
    """The items about one dialogue and role."""
    groups: Iterable[Sequence[int]]
    if section.task == "write":
        groups = [()]
    elif section.task == "rate":
        groups = [(one,) for one in summaries]
    elif section.task == "compare":
        groups = choose_pairs(summaries, section.pairs_per_dialogue, seed, "pairs", dialogue, role)
    else:
        groups = choose_groups(summaries, section.candidates, seed, "groups", dialogue, role)
        groups = [group for group in groups if len(group) > 1]
    if any(dimension.on == "reference-sentences" for dimension in section.dimensions) and reference is None:
        raise InputError(f"annotate: a dialogue has no reference for the role {role!r}, which a dimension asks about")
    base = {"kind": section.task, "purpose": "main", "dialogue": dialogue, "role": role, "reference": reference}
    return [{**base, "summaries": list(group)} for group in groups]


def _add_training(
    connection: Connection, corpus: Corpus, section: AnnotateSection, numbers: Mapping[str, int]
) -> tuple[Bundle, ...]:
    bundles = []
    for position, given in enumerate(section.training.items if section.training else []):
        dialogue, text, role = _training_text(connection, corpus, given, numbers, position)
        row = {"dialogue": dialogue, "system": "training", "variant": "original", "role": role}
        (summary,) = insert(connection, t.summary, [{**row, "kind": "training", "text": text}])
        item = {"kind": "rate", "purpose": "training", "dialogue": dialogue, "role": role, "summaries": [summary]}
        item |= {"reference": None, "expected": given.expected, "feedback": given.feedback}
        bundles.append(Bundle(dialogue, role, tuple(insert(connection, t.item, [item]))))
    return tuple(bundles)


def _training_text(
    connection: Connection, corpus: Corpus, given: TrainingItem, numbers: Mapping[str, int], position: int
) -> tuple[int, str, str]:
    if given.dialogue is not None:
        here = corpus.summaries.filter(pl.col("dialogue_id") == given.dialogue)
        rows = here.filter(pl.col("system") == given.system)
        if rows.is_empty():
            raise UnknownNameError(f"training item {position + 1}: system", str(given.system), here["system"])
        return numbers[given.dialogue], str(rows["text"][0]), str(rows["role"][0])
    turns = []
    for line in (given.transcript or "").strip().splitlines():
        speaker, colon, text = line.partition(": ")
        turns.append({"speaker": speaker if colon else "", "role": None, "text": text if colon else line})
    row = {"dialogue_id": f"training {position + 1}", "language": None, "turns": turns, "own": True}
    (number,) = insert(connection, t.dialogue, [row])
    return number, (given.summary or "").strip(), "overall"


def stored_bundles(connection: Connection, purpose: str) -> list[Bundle]:
    """The items of a purpose as bundles: of one dialogue and role; each training item by itself."""
    query = sa.select(t.item.c.id, t.item.c.dialogue, t.item.c.role).where(t.item.c.purpose == purpose)
    found: dict[tuple[int, str, int | None], list[int]] = {}
    for row in connection.execute(query.order_by(t.item.c.id)):
        found.setdefault((row.dialogue, row.role, row.id if purpose == "training" else None), []).append(row.id)
    return [Bundle(dialogue, role, tuple(items)) for (dialogue, role, _), items in found.items()]


def split_pilot(bundles: Sequence[Bundle], section: AnnotateSection) -> tuple[list[Bundle], list[Bundle]]:
    """The bundles of the pilot, and the rest."""
    if section.pilot is None:
        return [], list(bundles)
    dialogues = list(dict.fromkeys(bundle.dialogue for bundle in bundles))
    chosen = set(dialogues[: section.pilot.dialogues])
    if len(chosen) == len(dialogues):
        raise InputError(
            f"annotate.pilot.dialogues is {section.pilot.dialogues}, but there are only {len(dialogues)} dialogues"
        )
    return (
        [bundle for bundle in bundles if bundle.dialogue in chosen],
        [bundle for bundle in bundles if bundle.dialogue not in chosen],
    )


def add_pages(
    connection: Connection, section: AnnotateSection, built: Built, people: Mapping[str, int], seed: int
) -> None:
    """Give every annotator their pages for training, pilot and main part."""
    pilot, main = split_pilot(built.bundles, section)
    names = list(people)
    per_item = section.assignment.annotators_per_item if section.task != "write" else 1
    shares = share_out(main, names, per_item, seed)
    mine: dict[str, list[Bundle]] = defaultdict(list)
    for bundle, takers in zip(main, shares, strict=True):
        for name in takers:
            mine[name].append(bundle)
    for name, number in people.items():
        add_stage(connection, section, name, number, "training", built.training, seed)
        add_stage(connection, section, name, number, "pilot", pilot, seed)
        add_stage(connection, section, name, number, "main", mine[name], seed)


def add_stage(
    connection: Connection,
    section: AnnotateSection,
    name: str,
    annotator: int,
    stage: str,
    bundles: Sequence[Bundle],
    seed: int,
) -> None:
    """Pages for one annotator and stage, after those that are there."""
    if not bundles:
        return
    last = connection.execute(sa.select(sa.func.max(t.page.c.position)).where(t.page.c.annotator == annotator)).scalar()
    order = list(bundles)
    if section.dialogue_order == "shuffled" and stage != "training":
        order = shuffled(order, seed, name, stage, "pages")
    passes = _passes(section, stage)
    contents = _contents(connection, order)
    pages: list[dict[str, Any]] = []
    assignments: list[dict[str, Any]] = []
    counter = 0
    for number_of_pass in passes:
        for bundle in order:
            page = opaque()
            row = {"id": page, "annotator": annotator, "dialogue": bundle.dialogue, "role": bundle.role}
            place = (last or 0) + len(pages) + 1
            pages.append({**row, "stage": stage, "number_of_pass": number_of_pass, "position": place})
            items = shuffled(bundle.items, seed, name, bundle.dialogue, bundle.role, number_of_pass)
            counter += len(items)
            if section.checks and stage in ("pilot", "main") and counter >= section.checks.every:
                counter = 0
                check, summaries = _add_check(connection, section, bundle, seed, name, number_of_pass)
                contents[check] = summaries
                items.insert(shuffled(range(len(items) + 1), seed, name, "place", len(pages))[0], check)
            for position, item in enumerate(items, 1):
                shown = shuffled(contents[item], seed, name, "shown", item)
                assignments.append(fresh_assignment(page, annotator, item, position, shown))
    connection.execute(sa.insert(t.page), pages)
    connection.execute(sa.insert(t.assignment), assignments)


def _passes(section: AnnotateSection, stage: str) -> Sequence[int]:
    if section.passes == "one-dimension" and stage in ("pilot", "main"):
        return range(1, len(section.dimensions) + 1)
    return (0,)


def fresh_assignment(page: str, annotator: int, item: int, position: int, shown: Sequence[int]) -> dict[str, Any]:
    """A row of the table of assignments before any answer."""
    row: dict[str, Any] = {"id": opaque(), "page": page, "annotator": annotator, "item": item, "position": position}
    return row | {"shown": list(shown), "rev": 0, "answer": EMPTY_ANSWER, "complete": False, "active_ms": 0}


def _contents(connection: Connection, bundles: Iterable[Bundle]) -> dict[int, list[int]]:
    wanted = [item for bundle in bundles for item in bundle.items]
    found: dict[int, list[int]] = {}
    for part in _parts(wanted, 500):
        query = sa.select(t.item.c.id, t.item.c.summaries).where(t.item.c.id.in_(part))
        found.update((number, summaries) for number, summaries in connection.execute(query))
    return found


def _parts(things: list[int], size: int) -> Iterator[list[int]]:
    return (things[start : start + size] for start in range(0, len(things), size))


def _add_check(
    connection: Connection, section: AnnotateSection, bundle: Bundle, seed: int, name: str, number_of_pass: int
) -> tuple[int, list[int]]:
    end = shuffled(("lowest", "highest"), seed, name, bundle.dialogue, number_of_pass, "check")[0]
    row = {"dialogue": bundle.dialogue, "system": "attention check", "variant": "original", "role": bundle.role}
    text = CHECKS[section.language][end]
    summaries = insert(connection, t.summary, [{**row, "kind": "check", "text": text}])
    expected = {
        dimension.name: dimension.points().minimum if end == "lowest" else dimension.points().maximum
        for dimension in section.dimensions
    }
    reference = connection.execute(sa.select(t.item.c.reference).where(t.item.c.id == bundle.items[0])).scalar()
    item = {"kind": "rate", "purpose": "check", "dialogue": bundle.dialogue, "role": bundle.role}
    item |= {"summaries": summaries, "reference": reference, "expected": expected}
    return insert(connection, t.item, [item])[0], summaries
