"""Taggers by name, as they are written on the command line and in the parameters of metrics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import cast

from dialgauge.affect._folder import load_tagger
from dialgauge.affect._lexicon import VADER_THRESHOLD, opinion_lexicon, read_lexicon, vader_lexicon
from dialgauge.affect._tagger import Tagger
from dialgauge.affect._taggers import Case, ContextualTagger, LexiconTagger, NegationTagger
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.models import ModelRef
from dialgauge.registry import Registry, parse_parameters

#: The tagger that needs nothing.
DEFAULT = "vader"
_CASE = ("lower", "keep")


@dataclass(frozen=True, slots=True)
class TaggerKind:
    """A kind of tagger: what it is, what it is made from (``argument``, empty for nothing) and what can be set."""

    name: str
    description: str
    argument: str
    options: tuple[str, ...]
    make: Callable[[str, Mapping[str, str]], Tagger]


def _vader(_: str, options: Mapping[str, str]) -> Tagger:
    given = options.get("threshold", str(VADER_THRESHOLD))
    try:
        threshold = float(given)
    except ValueError:
        raise ParameterError("tagger 'vader'", "threshold", "a number", given) from None
    return LexiconTagger(vader_lexicon(threshold), _case("vader", options), "vader")


def _token_dict(_: str, options: Mapping[str, str]) -> Tagger:
    folder = options.get("folder")
    lexicon = opinion_lexicon(Path(folder).expanduser() if folder else None)
    return LexiconTagger(lexicon, _case("token-dict", options), "token-dict")


def _own(path: str, options: Mapping[str, str]) -> Tagger:
    lexicon = read_lexicon(Path(path).expanduser())
    return LexiconTagger(lexicon, _case("lexicon", options), lexicon.name)


def _classifier(reference: str, options: Mapping[str, str]) -> Tagger:
    from dialgauge.models import load

    return ContextualTagger.of(load("token-classifier", reference, options.get("device", "auto")))


def _trained(*kinds: str) -> Callable[[str, Mapping[str, str]], Tagger]:
    def make(folder: str, options: Mapping[str, str]) -> Tagger:
        from dialgauge.affect._folder import describe_tagger

        place = Path(folder).expanduser()
        found = describe_tagger(place)["kind"]
        if found not in kinds:
            raise InputError(f"{place}: this is a tagger of the kind {found!r}, not {' or '.join(map(repr, kinds))}")
        return load_tagger(place, options.get("device", "auto"))

    return make


TAGGERS = Registry("tagger", TaggerKind, attrgetter("make"), hint="'dialgauge affect' lists them")
TAGGERS.add(
    TaggerKind(
        "vader", "VADER's lexicon (English, MIT licence), which comes with dialgauge", "", ("threshold", "case"), _vader
    ),
    TaggerKind(
        "token-dict", "the opinion lexicon of Hu & Liu, from the cache or a folder", "", ("folder", "case"), _token_dict
    ),
    TaggerKind("lexicon", "your own lexicon: word, label or valence, categories", "FILE", ("case",), _own),
    TaggerKind(
        "lookup", "a table of labelled training words; unseen words are neutral", "FOLDER", (), _trained("lookup")
    ),
    TaggerKind("contextual", "a token classifier: any checkpoint", "MODEL", ("device",), _classifier),
    TaggerKind("sst3", "an encoder trained on SST3", "FOLDER", ("device",), _trained("contextual")),
    TaggerKind(
        "combined",
        "look-up for words seen in training, a word reader for the others",
        "FOLDER",
        ("device",),
        _trained("combined"),
    ),
)


def tagger(spec: str = DEFAULT) -> Tagger:
    """The tagger of a specification: ``NAME[:ARGUMENT][,OPTION=VALUE…]``.

    As in ``vader``, ``vader:threshold=0.5``, ``token-dict:case=keep,folder=DIR``, ``lexicon:words.tsv`` (or
    ``lexicon:file=words.tsv``), ``lookup:FOLDER``, ``contextual:org/model@revision``, ``sst3:FOLDER``,
    ``combined:FOLDER``. Every one takes ``negation=flip``, which exchanges positive and negative within three words
    after a negation.
    """
    name, argument, options = parse_spec(spec)
    return _make(name, argument, tuple(sorted(options.items())))


def parse_spec(spec: str) -> tuple[str, str, dict[str, str]]:
    """The name of a tagger, what it is made from, and its options; checked."""
    name, _, rest = (part.strip() for part in spec.strip().partition(":"))
    kind = TAGGERS.find(name)
    main = kind.argument.lower()
    wanted = f"'{name}:{kind.argument}'" if main else f"'{name}' with options only"
    if not main and any("=" not in part for part in rest.split(",") if part):
        raise InputError(f"tagger {spec!r}: write {wanted}")
    allowed = (*kind.options, "negation", *filter(None, [main]))
    options = parse_parameters(f"tagger {spec!r}", rest, "option", main=main, known=allowed)
    for option in options:
        if option not in allowed:
            raise UnknownNameError(f"option of tagger {name!r}", option, allowed)
    given = options.pop(main, "")
    if main and not given:
        raise InputError(f"tagger {spec!r}: write {wanted}")
    if options.get("negation", "off") not in ("off", "flip"):
        raise ParameterError(f"tagger {name!r}", "negation", "'off' or 'flip'", options["negation"])
    return name, given, options


def path_of_spec(spec: str) -> str | None:
    """The file or folder that the tagger of a specification is read from, if any."""
    name, argument, options = parse_spec(spec)
    if TAGGERS[name].argument == "MODEL":
        ref = ModelRef.parse(argument)
        return ref.name if ref.source == "folder" else None
    return argument or options.get("folder")


@lru_cache(maxsize=16)
def _make(name: str, argument: str, options: tuple[tuple[str, str], ...]) -> Tagger:
    given = dict(options)
    negation = given.pop("negation", "off")
    made = TAGGERS[name].make(argument, given)
    return NegationTagger(made) if negation == "flip" else made


def _case(name: str, options: Mapping[str, str]) -> Case:
    given = options.get("case", "lower")
    if given not in _CASE:
        raise ParameterError(f"tagger {name!r}", "case", " or ".join(map(repr, _CASE)), given)
    return cast(Case, given)
