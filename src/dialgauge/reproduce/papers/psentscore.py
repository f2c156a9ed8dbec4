"""PSentScore (Zhou, Ringeval and Portet, 2024): what its tables say, from the data that are public.

The word taggers behind most of its numbers (BERT) and the outputs of the four challenge teams are not public. Table 2's
lexicon row, the sizes and the human ROUGE are recomputed; Tables 2, 4 and 5 are shown as printed with the nearest that
can be computed below: our taggers, the outputs that are public, and the controls without which PSentScore misleads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

import numpy as np

from dialgauge.affect import (
    LabelledSentence,
    PSent,
    PSentScores,
    Tagger,
    evaluate_tagger,
    lookup_of,
    psent,
    psent_by_each,
    psent_score,
    tagger as make_tagger,
)
from dialgauge.errors import MissingExtraError, ModelError
from dialgauge.progress import Progress
from dialgauge.reproduce._papers import PAPERS, Paper
from dialgauge.reproduce._printed import (
    Defect,
    Layout,
    LayoutRow,
    PaperCheck,
    PrintedTable,
    TableCheck,
    check_table,
    load_printed,
    printed_rows,
)
from dialgauge.reproduce.papers.psentscore_data import Bundle, Pair, read_bundle
from dialgauge.reproduce.papers.psentscore_figures import make_figures
from dialgauge.reproduce.papers.psentscore_rouge import WEIGHT, rouge_by_py_rouge

_SPLITS = ("train", "dev", "test")
_MEASURES = {"Spearman": "spearman", "CCC": "ccc", "MAE": "mae"}
_PARTS = {"PSentScore": "all", "positive": "positive", "negative": "negative"}
_NO_PIECES = "the paper's denominator needs 'dialgauge models get minilm'; words are counted instead"

Values = dict[tuple[str, str], float | None]
#: By part of the corpus and tagger: PSent of its dialogues, and of its references.
Shares = dict[tuple[str, str], tuple[PSent, PSent]]


@dataclass(frozen=True, slots=True)
class _Study:
    """The data, the printed tables, and our taggers by name: the look-up first, which is nearest to the paper's."""

    bundle: Bundle
    printed: Mapping[str, PrintedTable]
    taggers: Mapping[str, Tagger]
    pieces: bool


def recompute(data: str, progress: Progress) -> PaperCheck:
    """Every table; ``data`` is the folder of the PSentScore bundle or the folder that holds it."""
    progress("reading", 0, 6)
    bundle = read_bundle(Path(data))
    taggers = {
        "lookup": lookup_of(bundle.treebank),
        "token-dict": make_tagger(f"token-dict:folder={bundle.folder / 'opinion_lexicon'}"),
        "vader": make_tagger("vader"),
    }
    study = _Study(bundle, load_printed(PAPER.printed), taggers, _pieces_known())
    progress("table 2", 1, 6)
    table_2, layout_2 = _table_2(study)
    progress("table 4", 2, 6)
    shares = _shares(study)
    counts = _table_4(study, shares)
    progress("ROUGE", 3, 6)
    rouge = _rouge(bundle)
    progress("table 5", 4, 6)
    scores = _scores(study)
    progress("defects", 5, 6)
    tables = [table_2, _sizes(study, "3"), _sizes(study, "4"), _percentages(study), _human(study, rouge)]
    if study.pieces:
        tables.append(_denominator(study))
    layouts = [layout_2, counts, *(_layout_5(study, name, found, rouge) for name, found in scores.items())]
    return PaperCheck(
        PAPER.name,
        PAPER.title,
        tuple(tables),
        _defects(study, rouge, next(iter(scores.values())), layout_2),
        {"rouge": {name: dict(values) for name, values in rouge.items()}, "denominators": _denominators(study)},
        tuple(layouts),
        make_figures([shares[split, "lookup"] for split in ("train", "dev")], study.printed["5"]),
    )


def _pieces_known() -> bool:
    try:
        psent(["words"], "vader", denominator="pieces")
    except (ModelError, MissingExtraError):
        return False
    return True


def _denominators(study: _Study) -> list[str]:
    return ["pieces", "words"] if study.pieces else ["words"]


def _on_test(tagger: Tagger, sentences: Sequence[LabelledSentence]) -> tuple[float, ...]:
    found = evaluate_tagger(tagger, [one.words for one in sentences], [one.labels for one in sentences])
    return tuple(100 * value for value in (found.accuracy, found.precision, found.recall, found.f1))


def _table_2(study: _Study) -> tuple[TableCheck, Layout]:
    printed, test = study.printed["2"], study.bundle.treebank.test
    kept = make_tagger(f"token-dict:case=keep,folder={study.bundle.folder / 'opinion_lexicon'}")
    ours = {
        "token-dict, case kept": _on_test(kept, test),
        "token-dict, lower case": _on_test(study.taggers["token-dict"], test),
        "look-up of the training words": _on_test(study.taggers["lookup"], test),
        "vader": _on_test(study.taggers["vader"], test),
    }
    values: Values = {
        ("token-dict", column): value
        for column, value in zip(printed.columns, ours["token-dict, case kept"], strict=True)
    }
    table = check_table(
        printed.select(rows=["token-dict"]),
        values,
        name="2-token-dict",
        title="the lexicon on the test part of SST3",
        text="Words as they stand in the trees, looked up with their case kept.",
    )
    rows = [LayoutRow(name, False, row, tuple(f"{value:.2f}" for value in row)) for name, row in ours.items()]
    text = (
        "The checkpoints BERT-SST3 and BERT-DS-SST3 are not public: printed only. 'dialgauge affect train' trains such "
        "taggers, 'dialgauge affect evaluate' compares them with the look-up."
    )
    return table, Layout("2", printed.title, printed.columns, (*printed_rows(printed), *rows), text)


def _sizes(study: _Study, name: str) -> TableCheck:
    """How many sentences or dialogues there are."""
    if name == "3":
        values: Values = {(split, "sentences"): len(getattr(study.bundle.treebank, split)) for split in _SPLITS}
        return check_table(study.printed[name], values)
    values = {(split, "full"): len(study.bundle.pairs[split]) for split in _SPLITS}
    table = study.printed[name].select(columns=["full"])
    return check_table(table, values, name="4-full", title="dialogues of DialogSum")


def _percentages(study: _Study) -> TableCheck:
    printed = study.printed["4"]
    values: Values = {}
    for split in _SPLITS:
        full, filtered = (float(printed.entries[split, column].value) for column in ("full", "filtered"))
        values[split, "kept"] = 100 * filtered / full
    return check_table(
        printed.select(columns=["kept"]),
        values,
        name="4-kept",
        title="share of pairs that are kept, from the printed counts",
        text="Computed from the printed counts, as the tagger that filtered is not public.",
    )


def _shares(study: _Study) -> Shares:
    """PSent of the dialogues and of all references of each part by each tagger."""
    shares: Shares = {}
    for split in _SPLITS:
        pairs, taggers = study.bundle.pairs[split], list(study.taggers.values())
        dialogues = psent_by_each([pair.dialogue for pair in pairs], taggers, speakers=True)
        summaries = psent_by_each([text for pair in pairs for text in pair.summaries], taggers)
        shares |= {
            (split, name): both
            for name, both in zip(study.taggers, zip(dialogues, summaries, strict=True), strict=True)
        }
    return shares


def _table_4(study: _Study, shares: Shares) -> Layout:
    printed = study.printed["4"]
    rows: list[LayoutRow] = []
    for name, split in product(study.taggers, _SPLITS):
        values = _filtered(study.bundle.pairs[split], *shares[split, name], by_dialogue=split == "test")
        texts = tuple(f"{value:.1f}%" if i == 2 else f"{value:.0f}" for i, value in enumerate(values))
        rows.append(LayoutRow(f"{split}, {name}", False, values, texts))
    text = (
        "Filtered: both texts have an affective word; in the test part, only the dialogue counts, as in the paper. "
        "There, Sum. counts dialogues none of whose references has one; the paper prints 0. BERT-DS-SST3 is not public."
    )
    return Layout("4", printed.title, printed.columns, (*printed_rows(printed), *rows), text)


def _filtered(pairs: Sequence[Pair], dialogues: PSent, summaries: PSent, *, by_dialogue: bool) -> tuple[float, ...]:
    dialogue = dialogues.count() > 0
    ends = np.cumsum([len(pair.summaries) for pair in pairs])
    summary = np.array([part.any() for part in np.split(summaries.count() > 0, ends[:-1])])
    kept = int((dialogue if by_dialogue else dialogue & summary).sum())
    return float(len(pairs)), float(kept), 100 * kept / len(pairs), float((~dialogue).sum()), float((~summary).sum())


def _rouge(bundle: Bundle) -> dict[str, dict[str, float]]:
    """ROUGE in per cent of the references among themselves and of each system, mean over all references."""
    references = {pair.id: pair.summaries for pair in bundle.pairs["test"]}
    found = {"human": _mean_rouge([two for texts in references.values() for two in combinations(texts, 2)])}
    for system, outputs in bundle.outputs.items():
        found[system] = _mean_rouge(
            [(text, reference) for key, text in outputs.items() for reference in references[key]]
        )
    return found


def _mean_rouge(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    return {name: 100 * float(values.mean()) for name, values in rouge_by_py_rouge(pairs).items()}


def _human(study: _Study, rouge: Mapping[str, Mapping[str, float]]) -> TableCheck:
    table = study.printed["5"].select(rows=["human"], columns=["R1", "R2", "RL"])
    values: Values = {("human", column): rouge["human"][column] for column in table.columns}
    apart = {
        ("human", column): f"{rouge['human'][column] - float(printed.value):+.3f} from the print"
        for (_, column), printed in table.entries.items()
    }
    return check_table(
        table,
        values,
        name="5-rouge-human",
        title="ROUGE of the references among themselves",
        notes=apart,
        text="With the settings of py-rouge 1.1 (stems, 100 words, alpha 0.5), the mean over the three pairs of "
        "references. The paper took these three numbers from the report of the DialogSum challenge; they come out "
        "within 0.025 points, not to the last digit.",
    )


def _denominator(study: _Study) -> TableCheck:
    table = study.printed["denominator"]
    texts = {pair.id: pair.dialogue for pair in study.bundle.pairs["test"] if pair.id in table.rows}
    totals = psent(list(texts.values()), "vader", denominator="pieces", speakers=True).total.tolist()
    values: Values = {(key, "pieces"): float(total) for key, total in zip(texts, totals, strict=True)}
    return check_table(
        table,
        values,
        text="What PSent is divided by: the word pieces of bert-base-uncased with [CLS] and [SEP] of every sentence.",
    )


def _scores(study: _Study) -> dict[str, PSentScores]:
    """PSentScores by the name of their layout: the look-up by the paper's denominator is the one called 5."""
    first = "pieces" if study.pieces else "words"
    wanted = {"5": ("lookup", first)}
    if study.pieces:
        wanted |= {"5-token-dict-pieces": ("token-dict", "pieces"), "5-lookup-words": ("lookup", "words")}
    wanted |= {"5-token-dict-words": ("token-dict", "words"), "5-vader-words": ("vader", "words")}
    return {
        name: psent_score(
            study.bundle.corpus,
            study.taggers[tagger],
            denominator="pieces" if denominator == "pieces" else "words",
            resamples=0,  # no interval is shown
        )
        for name, (tagger, denominator) in wanted.items()
    }


def _layout_5(study: _Study, name: str, scores: PSentScores, rouge: Mapping[str, Mapping[str, float]]) -> Layout:
    printed = study.printed["5"]
    columns = (*printed.columns, "adj.")
    rows = [LayoutRow(row.name, True, (*row.values, None), (*row.texts, "")) for row in printed_rows(printed)]
    frame = scores.frame.to_dicts()
    for kind in ("reference", "system", "control"):
        for label in dict.fromkeys(row["name"] for row in frame if row["kind"] == kind):
            by_part = {row["part"]: row for row in frame if row["name"] == label}
            rows.append(_our_row(label, kind, by_part, rouge, columns))
    tagger, denominator = (part.split(";")[0] for part in scores.signature.split("|")[1:3])
    text = (
        f"Ours: tagger {tagger}, {denominator.removeprefix('denominator:')} as the denominator, dialogues with a share "
        "of zero left out. Systems: the public outputs of BART large (not the model that was published) on all 500 "
        "dialogues, three unnamed ones on 96. In brackets: controls that are not summaries. The outputs of the four "
        "teams and of the paper's own models are not public, nor is the tagger: printed only. adj. is our own variant, "
        "adjusted for copying and length."
    )
    counted = [row["dialogues"] for row in frame if row["kind"] == "reference"]
    if counted:
        numbers = ", ".join(map(str, counted[: len(_PARTS)]))
        text += f" Dialogues with affective, positive, negative words: {numbers}; in the paper 499, 491, 419."
    if not study.pieces:
        text += f" Note: {_NO_PIECES}."
    return Layout(name, printed.title, columns, tuple(rows), text)


def _our_row(
    label: str,
    kind: str,
    by_part: Mapping[str, Mapping[str, float | None]],
    rouge: Mapping[str, Mapping[str, float]],
    columns: Sequence[str],
) -> LayoutRow:
    counted = rouge.get("human" if kind == "reference" else label, {})
    values: list[float | None] = []
    texts: list[str] = []
    for column in columns:
        top, _, below = column.partition("/")
        if top in _PARTS:
            value = by_part[_PARTS[top]][_MEASURES[below]]
        else:
            value = by_part["all"]["adjusted"] if top == "adj." else counted.get(top)
        values.append(value)
        digits = 2 if top.startswith("R") else 3
        texts.append(
            "" if value is None else f"{value:.{digits}f}".replace("0.", ".", 1) if digits == 3 else f"{value:.2f}"
        )
    shown = f"({label.removesuffix(' (control)')})" if kind == "control" else label
    return LayoutRow(shown, False, tuple(values), tuple(texts))


def _defects(
    study: _Study, rouge: Mapping[str, Mapping[str, float]], scores: PSentScores, taggers: Layout
) -> tuple[Defect, ...]:
    human = rouge["human"]
    labels: dict[str, set[int]] = {}
    treebank = study.bundle.treebank
    for sentence in (*treebank.train, *treebank.dev, *treebank.test):
        for word, label in zip(sentence.words, sentence.labels, strict=True):
            labels.setdefault(word, set()).add(label)
    two = sum(len(found) > 1 for found in labels.values())
    lookup = next(row for row in taggers.rows if row.name.startswith("look-up"))
    return (
        Defect(
            "rouge-l-weight",
            "error",
            "Table 5, RL",
            f"The weight of ROUGE-W ({WEIGHT}) was applied to ROUGE-L as well (its precision and recall are raised to "
            f"the power 1/{WEIGHT}): {human['RL']:.2f} for the references, where ROUGE-L is {human['plain_l']:.2f}. "
            "That RL is so close to R1 in every row shows it for the others too.",
        ),
        Defect(
            "rouge-program",
            "warning",
            "Table 5, footnote 4",
            "The footnote names Google's rouge_score; the numbers come from py-rouge 1.1 with the settings of the "
            "DialogSum challenge.",
        ),
        Defect(
            "no-context-in-sst3",
            "error",
            "Table 2",
            f"{two} of {len(labels):,} word types of SST3 have more than one label, so context cannot help on it: a "
            f"look-up table of the training words reaches accuracy {lookup.values[0]:.2f} and macro F1 "
            f"{lookup.values[3]:.2f}, above both BERT models.",
        ),
        *_copying(scores),
        Defect(
            "percentage",
            "note",
            "Table 4, train",
            "9687 of 12460 are 77.7 %, not 77.5 %.",
        ),
        Defect(
            "printed-formula",
            "note",
            "section 3.2",
            "The printed formula of Spearman's coefficient is not corrected for ties; the authors' program is, and so "
            "are the values here.",
        ),
    )


def _copying(scores: PSentScores) -> list[Defect]:
    """Controls that score above every system and the references, if there are any."""
    rows = scores.frame.filter(part="all").drop_nulls("spearman").to_dicts()
    best = max((row["spearman"] for row in rows if row["kind"] != "control"), default=0.0)
    above = [row for row in rows if row["kind"] == "control" and row["spearman"] > best]
    if not above:
        return []
    named = ", ".join(f"{row['name']} {row['spearman']:.3f}" for row in above)
    references = next((f"; references {row['spearman']:.3f}" for row in rows if row["kind"] == "reference"), "")
    message = f"Texts that are not summaries score highest: {named}; best system {best:.3f}{references} (Spearman)."
    return [Defect("copying-wins", "error", "Table 5, PSentScore", message)]


PAPER = Paper(
    "psentscore",
    "PSentScore: Evaluating Sentiment Polarity in Dialogue Summarization",
    "the folder of the PSentScore bundle (treebank, lexicon, DialogSum, outputs), or its parent",
    "psentscore.toml",
    recompute,
)
PAPERS.add(PAPER)
