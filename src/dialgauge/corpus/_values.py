"""What the cells of a column of judgements mean: numbers, yes and no, the words of a scale, or nothing given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from dialgauge.corpus._words import plain_word, said_words

#: Cells that say that no judgement was given, in lower case.
NOT_GIVEN = frozenset(
    {
        *(
            "",
            "na",
            "n/a",
            "n.a.",
            "n.a",
            "n. a.",
            "#n/a",
            "abs.",
            "to do",
            "todo",
            "offen",
            "ausstehend",
            "pendiente",
            "pendente",
            "en attente",
            "<na>",
            "-",
            "–",
            "—",
            "--",
            "null",
            "none",
            "nil",
            "missing",
            "?",
            "??",
            "???",
        ),
        *("unsure", "not sure", "i'm not sure", "don't know", "dont know", "do not know", "i don't know", "idk"),
        *("skip", "skipped", "no answer", "not given", "not applicable", "can't tell", "cannot tell", "cannot say"),
        *(
            "can't say",
            "no sé",
            "no se",
            "no sabe",
            "je ne sais pas",
            "non so",
            "não sei",
            "weet niet",
            "不确定",
            "k. a.",
            "k.a.",
            "weiß nicht",
            "ne sait pas",
            *("incertain", "incertaine", "incierto", "incerto", "unsicher", "unklar", "pas sûr", "onzeker"),
            "not rated",
            "can't judge",
            "cannot judge",
            "unable to judge",
            "cannot rate",
            "can't rate",
            "unrated",
            "undefined",
            "\\n",
            *("s.o.", "s. o.", "s/o", "sans objet", "n.v.", "n. v.", "n/v", "n.v.t.", "nvt", "entfällt", "no aplica"),
            *("n.c.", "n/c", "n.d.", "n/d", "n.r.", "n/r", "nsp", "non applicabile", "não se aplica", "not answered"),
        ),
    }
)
#: Words for yes and for no that may be mixed, and pairs that stand alone.
_YES_NO: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (
        frozenset({"yes", "y", "true", "t", "1", "1.0", "ja", "oui", "sí", "si", "sim", "✓", "是"}),
        frozenset({"no", "n", "false", "f", "0", "0.0", "nein", "non", "não", "✗", "否"}),
    ),
    *(
        (frozenset({yes}), frozenset(no.split("|")))
        for yes, no in (
            ("consistent", "inconsistent|not consistent"),
            ("correct", "incorrect|wrong|not correct"),
            ("factual", "non-factual|nonfactual|non factual|not factual|unfactual"),
            ("faithful", "unfaithful|not faithful"),
            ("accurate", "inaccurate|not accurate"),
            ("supported", "unsupported|not supported|not_supported|refuted"),
            ("grounded", "ungrounded|not grounded|hallucinated"),
            ("relevant", "irrelevant|not relevant"),
            ("coherent", "incoherent|not coherent"),
            ("fluent", "not fluent|disfluent"),
            ("acceptable", "unacceptable|not acceptable"),
            ("valid", "invalid"),
            ("pass", "fail"),
            ("passed", "failed"),
            ("entailment", "non-entailment|not_entailment|contradiction"),
            ("right", "wrong"),
            ("complete", "incomplete"),
            ("accept", "reject"),
            ("present", "absent"),
            ("👍", "👎"),
            ("thumbs up", "thumbs down"),
            ("up", "down"),
            ("thumbs_up", "thumbs_down"),
            ("thumbsup", "thumbsdown"),
            ("thumb up", "thumb down"),
            ("upvote", "downvote"),
            ("like", "dislike"),
            ("approve", "disapprove|reject|decline"),
            ("approved", "rejected"),
            ("satisfactory", "unsatisfactory"),
            ("positive", "negative"),
            ("met", "not met|unmet"),
            ("erfüllt", "nicht erfüllt"),
            ("bestanden", "nicht bestanden"),
            ("i.o.", "n.i.o.|nicht i.o."),
            ("conforme", "non conforme|no conforme|não conforme"),
            ("cumple", "no cumple"),
            ("voldaan", "niet voldaan"),
        )
    ),
)
#: Scales in words, the lowest first; the words of one point are separated by bars.
_SCALES: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split(" / "))
    for line in (
        "low / medium|moderate|middle / high",
        "bad|poor / ok|okay|average|fair|acceptable|medium / good",
        "poor|bad / fair / good / excellent",
        "very poor|very bad|terrible|awful / poor|bad / fair|average|acceptable|neutral|ok|okay|moderate|medium"
        " / good / very good|excellent|great|perfect",
        "poor|bad / fair / good / very good / excellent",
        "very low / low / medium|moderate|neutral / high / very high",
        "strongly disagree|fully disagree|totally disagree|completely disagree / disagree"
        " / neutral|neither agree nor disagree|neither|undecided / agree"
        " / strongly agree|fully agree|totally agree|completely agree",
        "strongly disagree / disagree / somewhat disagree|slightly disagree / neutral|neither agree nor disagree"
        " / somewhat agree|slightly agree / agree / strongly agree",
        "not at all / slightly|a little|a little bit / moderately|somewhat / very|quite|very much|quite a bit"
        " / extremely|completely|entirely|fully",
        "never / rarely|seldom / sometimes|occasionally / often|frequently|usually / always",
        "very dissatisfied / dissatisfied / neutral / satisfied / very satisfied",
        "very unlikely / unlikely / neutral / likely / very likely",
        "extremely bad / very bad / bad / acceptable|fair|neutral / good / very good / extremely good",
        "not / partially|partly / fully|completely",
        "none / some / most / all",
        "no|not / partly|partially|partial|somewhat|in part|to some extent / yes|fully|completely",
        "nein / teilweise|teils|zum teil|teils teils|teils/teils / ja",
        "non / en partie|partiellement / oui",
        "no / parcialmente|en parte / sí|si",
        "não / em parte|parcialmente / sim",
        "useless|not useful / ok|okay|somewhat useful|fair|average / useful|very useful",
        "unhelpful|not helpful / ok|okay|somewhat helpful|fair|average / helpful|very helpful",
        "sehr schlecht / schlecht / mittel|mittelmäßig|befriedigend|neutral / gut / sehr gut",
        "inaccurate|incorrect / partially accurate|partially correct|partly correct / accurate|correct",
        "ungenügend / mangelhaft / ausreichend / befriedigend / gut / sehr gut",
        "trifft gar nicht zu|trifft überhaupt nicht zu / trifft eher nicht zu|trifft nicht zu / teils teils|teils/teils"
        " / trifft eher zu|trifft zu / trifft voll zu|trifft voll und ganz zu|trifft völlig zu",
        "stimme gar nicht zu|stimme überhaupt nicht zu / stimme nicht zu|stimme eher nicht zu"
        " / teils teils|teils/teils|neutral"
        " / stimme zu|stimme eher zu / stimme voll zu|stimme voll und ganz zu",
        "très mauvais / mauvais / moyen|passable / bon / très bon|excellent",
        "pas du tout d'accord|fortement en désaccord / pas d'accord|plutôt pas d'accord|en désaccord"
        " / neutre|ni d'accord ni pas d'accord|ni d'accord, ni pas d'accord / d'accord|plutôt d'accord"
        " / tout à fait d'accord|entièrement d'accord|fortement d'accord",
        "totalmente en desacuerdo|muy en desacuerdo|completamente en desacuerdo / en desacuerdo|algo en desacuerdo"
        " / neutral|neutro|indiferente|ni de acuerdo ni en desacuerdo / de acuerdo|algo de acuerdo"
        " / totalmente de acuerdo|muy de acuerdo|completamente de acuerdo",
        "per niente d'accordo|fortemente in disaccordo|completamente in disaccordo / in disaccordo|poco d'accordo"
        " / neutrale|indifferente|né d'accordo né in disaccordo / d'accordo|abbastanza d'accordo"
        " / completamente d'accordo|fortemente d'accordo|molto d'accordo|totalmente d'accordo",
        "discordo totalmente|discordo completamente / discordo|discordo parcialmente"
        " / neutro|indiferente|nem concordo nem discordo|não concordo nem discordo / concordo|concordo parcialmente"
        " / concordo totalmente|concordo completamente",
        "helemaal oneens|zeer oneens|helemaal mee oneens|sterk mee oneens / oneens|mee oneens"
        " / neutraal|niet eens, niet oneens / eens|mee eens / helemaal eens|zeer eens|helemaal mee eens|sterk mee eens",
        "полностью не согласен / не согласен / нейтрально|затрудняюсь ответить / согласен / полностью согласен",
        "非常不同意|完全不同意|强烈不同意 / 不同意|比较不同意 / 一般|中立|无所谓 / 同意|比较同意"
        " / 非常同意|完全同意|强烈同意",
        "很差|非常差 / 差|较差 / 一般|中等 / 好|较好|良好 / 很好|非常好|优秀",
        "全くそう思わない|まったくそう思わない / そう思わない|あまりそう思わない / どちらともいえない|どちらでもない"
        " / そう思う|ややそう思う / とてもそう思う|強くそう思う|非常にそう思う",
        "pessimo|molto scarso / scarso|insufficiente / sufficiente|discreto / buono / ottimo|molto buono|eccellente",
        "muito ruim|péssimo / ruim|mau / regular|médio / bom|boa / muito bom|ótimo|excelente",
        "zeer slecht / slecht / matig|voldoende|neutraal / goed / zeer goed|uitstekend",
        "muy malo|muy mala / malo|mala / regular / bueno|buena / muy bueno|muy buena|excelente",
        "☹|🙁|😞|😟|😕|😢 / 😐|😑|😶 / 🙂|☺|😊|😀|😃|😄",
        "😡|😠|🤬|😢|😭|😫 / ☹|🙁|😞|😟|😕|😦 / 😐|😑|😶 / 🙂|☺|😊 / 😍|😀|😃|😄|😁|🤩|🥰",
        "😞|😢|😭|😡|😠 / ☹|🙁|😟|😕|😦 / 😐|😑|😶 / 🙂|☺ / 😊|😀|😃|😄|😁|😍|🤩|🥰",
    )
)
#: Every word of a pair or scale: most texts of a table are none of them, and need not be compared with each.
_OF_PAIRS = frozenset(word for pair in _YES_NO for words in pair for word in words)
_OF_SCALES = frozenset(word for scale in _SCALES for point in scale for word in point.split("|"))
#: Words before a quality, by how much of it they mean; the quality alone is in between.
_DEGREES = {
    "not at all": 0,
    **dict.fromkeys(("completely not", "not"), 1),
    **dict.fromkeys(("hardly", "barely", "slightly", "a little", "minimally"), 2),
    **dict.fromkeys(("somewhat", "partially", "partly", "moderately", "fairly"), 3),
    **dict.fromkeys(("mostly", "largely", "mainly"), 4),
    **dict.fromkeys(("very", "highly", "quite"), 6),
    **dict.fromkeys(("completely", "fully", "entirely", "perfectly", "totally", "extremely"), 7),
}
_PLAIN = 5
_MOST_DEGREES = 20
_DECIMAL_COMMA = re.compile(r"([+-]?\d+,\d+)(?:\s*/\s*\d+)?")
#: So many commas may stand beside points.
_FEW_COMMAS = 0.5
_PERCENT = re.compile(r"(?<=\d)\s*%$")
#: "4 - good", "4: good", "4 (good)", "4/5", "4 out of 5", "4 stars", "80 %": the number is the answer.
_LEADING = re.compile(
    r"([+-]?\d+(?:\.\d+)?)\s*(?:[-–:=.)]\s*[^\W\d].*|\([^)]*\)|/\s*\d+|(?:out )?of \d+|stars?|points?|%)",
    re.IGNORECASE,
)
#: "Agree (4)": the number behind the words.
_TRAILING = re.compile(r"[^\d()]+\(\s*([+-]?\d+(?:\.\d+)?)\s*\)")
#: "★★★☆☆": as many as are filled.
_COLOURS = re.compile("[\U0001f3fb-\U0001f3ff\ufe0f]")
_STARS = re.compile(r"([★⭐🟊✭]+)[☆✩]*")

#: What is in a box that was ticked.
TICKS = frozenset({"x", "✓", "✔", "☑", "☒", "checked", "ticked"})

Kind = Literal["number", "yes/no", "ordered", "names", "unreadable"]
#: A column holds judgements if at least this share of its filled cells can be read.
MOSTLY = 0.9


@dataclass(frozen=True, slots=True)
class Reading:
    """How the texts of a column are read. ``values`` has every text that can be; ``not_given`` counts the words for it.

    ``share`` is the part of the given cells that can be read, ``nearly`` that with numbers that have a decimal comma;
    ``labels`` name the points of a scale in words.
    """

    kind: Kind
    values: Mapping[str, float]
    not_given: Mapping[str, int]
    share: float
    labels: tuple[str, ...] = ()
    scale: str | None = None
    commas: bool = False
    given: int = 0
    distinct: int = 0
    nearly: float = 0.0


def read_values(counts: Mapping[str, int], *, commas: bool = True, order: tuple[str, ...] = ()) -> Reading:
    """What these texts mean, each with how often it occurs.

    ``commas`` allows decimal commas where every number has one; ``order`` gives the words of a scale from the lowest.
    """
    plain = {text: _plain(text) for text in counts}
    said = said_words()
    wanted = {plain_word(word) for scale in (order, *said.scales) for word in scale}
    skipped = {text: n for text, n in counts.items() if is_not_given(text) and plain[text] not in wanted}
    given = {text: plain[text] for text in counts if text not in skipped}
    total = sum(counts[text] for text in given)
    unsaid = {text.strip(): n for text, n in skipped.items() if text.strip()}

    def reading(kind: Kind, values: Mapping[str, float], **more: object) -> Reading:
        share = sum(counts[text] for text in values) / total if total else 0.0
        commas = {text for text, word in given.items() if kind == "number" and _DECIMAL_COMMA.fullmatch(word)}
        nearly = sum(counts[text] for text in {*values, *commas}) / total if total else 0.0
        distinct = len(set(given.values()))
        return Reading(kind, values, unsaid, share, given=total, distinct=distinct, nearly=nearly, **more)  # type: ignore[arg-type]

    def in_order(words: tuple[str, ...]) -> Reading:
        places = {plain_word(word): float(place) for place, word in enumerate(words, start=1)}
        known = {text: places[word] for text, word in given.items() if word in places}
        return reading("ordered", known, labels=words, scale=f"1-{len(words)}")

    if order:
        return in_order(order)
    numbers, with_commas = _numbers(given, commas)
    found = [
        *map(in_order, said.all_scales()),
        reading("number", numbers, commas=with_commas),
        reading("yes/no", _yes_no(given), scale="yes/no"),
        _ordered(given, reading),
    ]
    # A column of 0 and 1 is one of numbers; the words of a scale only win where they explain more.
    best = max(found, key=lambda one: (one.share, one.nearly))
    if best.nearly > 0:
        return best
    return Reading("unreadable", {}, unsaid, 0.0, given=total, distinct=len(set(given.values())))


def in_words(found: Reading) -> bool:
    """Whether the answers are words, which count nothing and measure nothing: yes and no, or those of a scale."""
    return found.share >= MOSTLY and found.kind in ("yes/no", "ordered") and found.distinct > 1


def _plain(text: str) -> str:
    """A text for comparison: lower case, single spaces, no sign of percent, emoji without the colour of the skin."""
    words = " ".join((text if text.isascii() else _COLOURS.sub("", text)).lower().split())
    return _PERCENT.sub("", words) if words.endswith("%") else words


def is_answer(text: str) -> bool:
    """Whether a text could be an answer on some scale: a number, or a word of one."""
    word = _plain(text)
    known = as_number(word) is not None or word in _OF_PAIRS or word in _OF_SCALES or is_not_given(text)
    return known or any(word == plain_word(own) for scale in said_words().all_scales() for own in scale)


def is_not_given(text: str) -> bool:
    """Whether a cell says that no judgement was given, in words that are known or that the user explained."""
    return _plain(text) in NOT_GIVEN or said_words().leaves_out(text)


def read_names(counts: Mapping[str, int]) -> Reading:
    """The texts as names of classes without an order: 1, 2, 3 … in alphabetical order.

    Among kinds of errors, ``none`` is an answer.
    """
    left_out = said_words().leaves_out
    spelt: dict[str, str] = {}  # one class, however its letters are written: as it is most often
    for text in sorted(counts, key=lambda one: (-counts[one], one)):
        spelt.setdefault(_plain(text), text.strip())
    given = {
        text: spelt[_plain(text)]
        for text in counts
        if text.strip().lower() not in NOT_GIVEN - {"none"} and not left_out(text)
    }
    labels = tuple(sorted(set(given.values())))
    places = {label: float(place) for place, label in enumerate(labels, start=1)}
    unsaid = {text.strip(): n for text, n in counts.items() if text not in given and text.strip()}
    total = sum(counts[text] for text in given)
    values = {text: places[label] for text, label in given.items()}
    return Reading("names", values, unsaid, 1.0, labels, f"1-{len(labels)}", given=total, distinct=len(labels))


def as_number(text: str) -> float | None:
    """The number that a text is, or starts with as an answer does (``4 - good``); None for anything else."""
    try:
        return float(text.replace("½", ".5", 1) if text.endswith("½") else text)
    except ValueError:
        found = _LEADING.fullmatch(text) or _TRAILING.fullmatch(text)
        if found:
            return float(found[1])
        stars = _STARS.fullmatch(text)
        return float(len(stars[1])) if stars else None


def _numbers(given: Mapping[str, str], commas: bool) -> tuple[dict[str, float], bool]:
    plain = {text: number for text, word in given.items() if (number := as_number(word)) is not None}
    if not commas:
        return plain, False
    turned = {
        text: float(found[1].replace(",", "."))
        for text, word in given.items()
        if (found := _DECIMAL_COMMA.fullmatch(word))
    }
    # Only where every cell is a number that way, or a word: "2,5" among points may be two answers.
    rest = [word for text, word in given.items() if text not in turned and text not in plain]
    words = len(rest) * 4 <= len(given) and not any(re.search(r"\d", word) for word in rest)
    pointed = [number for text, number in plain.items() if "." in given[text]]
    # Beside points of other cells, as in a workbook in which some were typed, a comma is one where it fits among them.
    among = not pointed or all(min(plain.values()) <= number <= max(plain.values()) for number in turned.values())
    if turned and words and among and len(turned) <= max(len(plain), 1) * (_FEW_COMMAS if pointed else len(turned)):
        return plain | turned, True
    return plain, False


def _yes_no(given: Mapping[str, str]) -> dict[str, float]:
    found: list[dict[str, float]] = []
    given = {text: word for text, word in given.items() if word in _OF_PAIRS}
    for yes, no in _YES_NO:
        found.append({text: 1.0 if word in yes else 0.0 for text, word in given.items() if word in yes or word in no})
    return max(found, key=len)


def _steps(given: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """Degrees of one quality (``not relevant``, ``somewhat relevant``, ``relevant``), with their rank."""
    parted: dict[str, tuple[str, int]] = {}
    stems = set()
    for text, word in given.items():
        degree = next((one for one in _DEGREES if word.startswith(f"{one} ")), "")
        stems.add(word.removeprefix(degree).strip())
        parted[text] = (word, _DEGREES.get(degree, _PLAIN))
    ranks = {rank for _, rank in parted.values()}
    return parted if len(stems) == 1 and len(ranks) > 2 else {}


@cache
def _places() -> dict[tuple[str, ...], dict[str, float]]:
    """Each scale, the short ones first, with the place of each of its words."""
    return {
        scale: {word: float(place) for place, point in enumerate(scale, start=1) for word in point.split("|")}
        for scale in sorted(_SCALES, key=len)
    }


def _ordered(given: Mapping[str, str], reading: object) -> Reading:
    best: dict[str, float] = {}
    chosen: tuple[str, ...] = ()
    stepped = _steps(given) if len(given) <= _MOST_DEGREES else {}
    given = {text: word for text, word in given.items() if word in _OF_SCALES}
    for scale, places in _places().items() if given else ():
        known = {text: places[word] for text, word in given.items() if word in places}
        # Of those that know as many words, the one that holds the fewest of them for the same.
        if (len(known), len(set(known.values()))) > (len(best), len(set(best.values()))):
            best, chosen = known, scale
    if len(stepped) > len(best):
        ranks = sorted({rank for _, rank in stepped.values()})
        best = {text: float(ranks.index(rank) + 1) for text, (_, rank) in stepped.items()}
        words = {rank: word for word, rank in stepped.values()}
        chosen = tuple(words[rank] for rank in sorted(words))
    labels = tuple(point.split("|")[0] for point in chosen)
    return reading("ordered", best, labels=labels, scale=f"1-{len(labels)}" if labels else None)  # type: ignore[operator,no-any-return]
