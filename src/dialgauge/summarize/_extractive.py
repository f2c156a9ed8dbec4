"""Summaries made of pieces of the dialogue: the first ones (LEAD), the longest ones (LONGEST).

A piece is a turn, a sentence of a turn, or a sentence of the running text, as in DialSummEval (Gao and Wan 2022): its
systems LEAD-3 and LONGEST-3 join all turns with their speakers, cut the text with NLTK, and count words between white
space; LONGEST-3 gives its sentences from the longest to the shortest. Turns without a mark at their end run together
there, so a "sentence" can hold several turns.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.corpus import Dialogue
from dialgauge.language import find_language, nltk_sentences, split_sentences
from dialgauge.metrics import Parameter, language_parameter
from dialgauge.summarize._registry import register
from dialgauge.summarize._roles import join_pieces
from dialgauge.summarize._system import Outcome, Summarizer, Task


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a dialogue: its words, and how it is shown in a summary (led by the speaker where that is wanted)."""

    text: str
    shown: str


UNITS = Parameter(
    "turns",
    ("turns", "sentences", "running"),
    "turns: whole turns; sentences: sentences of turns; running: the sentences that NLTK finds in the English running "
    "text, speakers included, as in DialSummEval",
)
LANGUAGE = language_parameter(
    "", "the language whose rules split words and sentences, such as fr; none: language-independent rules"
)
SPEAKERS = Parameter("yes", ("yes", "no"), "yes: each turn or sentence begins with its speaker")
ORDER = Parameter("dialogue", ("dialogue", "rank"), "dialogue: in the order of the dialogue; rank: the best first")
PIECES = Parameter("3", (), "number of pieces", r"[1-9]\d*", "a whole number from 1")
UNTIL = Parameter(
    "0",
    (),
    "add pieces until this number of characters is reached (with speakers, without white space), instead of n; "
    "0: n pieces",
    r"\d+",
    "a whole number",
)


def pieces_of(dialogue: Dialogue, parameters: Mapping[str, str]) -> list[Piece]:
    """The pieces of a dialogue that a summary can be made of."""
    language = find_language(parameters["lang"]) if parameters["lang"] else None
    if parameters["units"] == "running":
        running = language.sentences if language else nltk_sentences
        return [Piece(text, text) for text in running(" ".join(map(str, dialogue.turns)))]
    split = language.sentences if language else split_sentences
    pieces = []
    for turn in dialogue.turns:
        texts = split(turn.text) if parameters["units"] == "sentences" else [turn.text]
        head = f"{turn.speaker}: " if parameters["speakers"] == "yes" and turn.speaker else ""
        pieces += [Piece(text, head + text) for text in texts if text.strip()]
    return pieces


def extract(pieces: Sequence[Piece], ranked: Sequence[int], parameters: Mapping[str, str]) -> str:
    """The text of the best pieces (positions in ``ranked``, the best first), as many as the parameters want."""
    until = int(parameters["until"])
    chosen = list(ranked[: len(ranked) if until else int(parameters["n"])])
    if until:
        size, count = 0, 0
        while count < len(chosen) and size < until:
            size += len("".join(pieces[chosen[count]].shown.split()))
            count += 1
        chosen = chosen[:count]
    if parameters.get("order", "dialogue") == "dialogue":
        chosen.sort()
    return join_pieces([pieces[i].shown for i in chosen])


#: Gives the positions of the pieces, the best first.
Rank = Callable[[Sequence[Piece], Mapping[str, str]], list[int]]


def by_ranking(rank: Rank) -> Callable[[Task, Mapping[str, str]], Iterator[tuple[int, Outcome]]]:
    """A summarizer's ``compute`` from a ranking of the pieces of one dialogue."""

    def compute(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
        for i, dialogue in enumerate(task.dialogues):
            pieces = pieces_of(dialogue.side(task.role), parameters)
            if pieces:
                yield i, Outcome(extract(pieces, rank(pieces, parameters), parameters))
            else:
                yield i, Outcome(None, reason=NO_WORDS)

    return compute


NO_WORDS = "the dialogue has no sentence with words"


def _first(pieces: Sequence[Piece], parameters: Mapping[str, str]) -> list[int]:
    return list(range(len(pieces)))


def _longest(pieces: Sequence[Piece], parameters: Mapping[str, str]) -> list[int]:
    if parameters["length"] == "words":
        split = find_language(parameters["lang"]).words if parameters["lang"] else str.split
        lengths = [len(split(piece.text)) for piece in pieces]
    else:
        lengths = [len(piece.text) for piece in pieces]
    return sorted(range(len(pieces)), key=lambda i: (-lengths[i], i))


_CITATION = "Gao and Wan 2022, DialSummEval: Revisiting Summarization Evaluation for Dialogues, NAACL"

register(
    Summarizer(
        name="lead",
        description="the first turns of the dialogue",
        citation=_CITATION,
        compute=by_ranking(_first),
        parameters={"n": PIECES, "units": UNITS, "speakers": SPEAKERS, "until": UNTIL, "lang": LANGUAGE},
    ),
    Summarizer(
        name="longest",
        description="the longest turns of the dialogue; of equal ones the earlier",
        citation=_CITATION,
        compute=by_ranking(_longest),
        parameters={
            "n": PIECES,
            "units": UNITS,
            "length": Parameter(
                "characters",
                ("characters", "words"),
                "what is counted; words stand between spaces, or are those of lang",
            ),
            "order": ORDER,
            "speakers": SPEAKERS,
            "until": UNTIL,
            "lang": LANGUAGE,
        },
    ),
)
