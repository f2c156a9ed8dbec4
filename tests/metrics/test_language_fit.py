"""One warning per run where metrics do not read the language of the texts, and none for English."""

import random
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus, write_corpus
from dialgauge.engine import engine
from dialgauge.language import likely_language
from dialgauge.metrics import LanguageWarning, parse_requests, score, score_pairs, score_stream
from dialgauge.metrics._language_fit import _harmed_share, _surely_few, warn_of_letters

Cli = Callable[..., Any]
FRENCH = ["Le client réclame le remboursement de sa commande livrée en retard.", "L'agente est désolée et accepte."]
GERMAN = [
    "Die Kundin möchte die Bestellung nicht mehr und will das Geld.",
    "Der Händler lehnt das ab, weil es spät ist.",
]
CHINESE = ["用户询问如何修改密码。", "客服请用户等待。"]


def corpus(texts: list[str], language: str | None = None) -> Corpus:
    dialogues = [Dialogue(f"d{i}", (Turn("A", text),), language=language) for i, text in enumerate(texts)]
    references = [Summary(d.id, "reference", texts[0], kind="reference") for d in dialogues]
    summaries = [Summary(d.id, "s", text) for d, text in zip(dialogues, texts, strict=True)]
    return Corpus.build(dialogues, references + summaries)


@contextmanager
def silence() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LanguageWarning)
        yield


def told(act: Callable[[], object]) -> str:
    """The one warning that this gives."""
    with pytest.warns(LanguageWarning) as found:
        act()
    (warning,) = [one for one in found if one.category is LanguageWarning]
    assert warning.filename == __file__
    return str(warning.message)


def test_accents_are_split_and_the_way_out_is_named() -> None:
    message = told(lambda: score(corpus(FRENCH), ["rouge", "chrf"]))
    # réclame, livrée, désolée of 17 words (l'agente is two)
    assert message.startswith("rouge-1, rouge-1-p, rouge-1-r and 15 more: 18% of the words are split or lost")
    assert message.endswith("use rouge-1:lang=fr")


@pytest.mark.parametrize(
    ("metric", "instead"), [("rouge-1", "rouge-1:lang=fr"), ("chrf++", "chrf++"), ("bleu-4", "bleu-4")]
)
def test_chinese_words_are_not_looked_for_in_french(metric: str, instead: str) -> None:
    message = told(lambda: score(corpus(FRENCH), [f"{metric}:tok=word"]))
    assert message == f"{metric}:tok=word: tok=word looks for Chinese words, and these texts have none; use {instead}"
    told(lambda: score_pairs(FRENCH, FRENCH, [f"{metric}:tok=word"]))
    with silence():
        score(corpus([*CHINESE, *FRENCH]), [f"{metric}:tok=word"])


@pytest.mark.parametrize(("texts", "code"), [(GERMAN, "de"), (CHINESE, "zh"), (FRENCH, "fr")])
def test_the_language_is_guessed_where_nobody_declares_it(texts: list[str], code: str) -> None:
    assert told(lambda: score_pairs(texts, texts, ["rouge-l"])).endswith(f"use rouge-l:lang={code}")
    with silence():
        score_pairs(texts, texts, [f"rouge-l:lang={code}", "rouge-l:tok=char", "chrf", "length"])


def test_plain_english_gives_no_warning() -> None:
    with silence():
        score(embedded_corpus(), ["rouge-1", "bleu-4", "meteor", "chrf++", "ter", "rouge-1@source"])
        zoe = (
            "Zoë asks the agent about her parcel, and he says that it is late: she will wait another two weeks for it."
        )
        score_pairs([zoe] * 50, [zoe] * 50, ["rouge-1"])
        score_pairs(["🙂 “It’s fine” – £5…"], ["ok"], ["rouge-1"])


def test_a_declared_language_counts_without_accents() -> None:
    dutch = corpus(["De klant wil zijn geld terug.", "De winkel wacht nog."], "nl-BE")
    message = told(lambda: score(dutch, ["rouge-1", "meteor", "bleu-4", "chrf"]))
    assert message == (
        "rouge-1, meteor: the rules are not those of the texts' language (nl-BE); use rouge-1:lang=nl, meteor:lang=nl"
    )
    assert "rouge-1:lang=de: the rules" in told(lambda: score(dutch, ["rouge-1:lang=de", "rouge-1:lang=nl"]))
    with silence():
        score(dutch, ["rouge-1:lang=nl", "meteor:lang=nl", "bleu-4", "chrf++", "ter", "length"])


def test_a_declared_language_without_spaces() -> None:
    message = told(lambda: score(corpus(CHINESE, "zh"), ["rouge-1", "bleu-4", "chrf++", "ter"]))
    assert message.startswith(
        "rouge-1: 100% of the words are split or lost, because only the letters a–z and 0–9 are read; "
    )
    assert "bleu-4, chrf++, ter: the rules are not those of the texts' language (zh)" in message
    assert message.endswith("use rouge-1:lang=zh, bleu-4:tok=char, chrf++:tok=word, ter:norm=yes,asian=yes")
    with silence():
        score(corpus(CHINESE, "zh"), ["rouge-1:tok=char", "bleu-4:tok=char", "chrf", "ter:norm=yes,asian=yes"])


def test_a_language_that_nobody_added() -> None:
    greek = ["Ο πελάτης θέλει τα χρήματα πίσω.", "Το κατάστημα αρνείται."]
    message = told(lambda: score(corpus(greek, "el"), ["rouge-1"]))
    assert message.endswith(
        "use rouge-1:lang=CODE ('dialgauge languages' lists the codes; chrf reads characters of any language)"
    )


def test_sources_count_for_metrics_that_read_them() -> None:
    dialogues = [Dialogue("d", (Turn("A", FRENCH[0]), Turn("B", FRENCH[1])))]
    mixed = Corpus.build(dialogues, [Summary("d", "s", "The agent agrees.")])
    assert "rouge-1@source: 15%" in told(lambda: score(mixed, ["rouge-1@source"]))


def test_once_for_all_workers_and_chunks(tmp_path: Path) -> None:
    many = corpus(FRENCH * 20)
    assert "rouge-1: 18%" in told(lambda: score(many, ["rouge-1"], engine=engine("processes", workers=2)))
    write_corpus(many, tmp_path / "corpus")
    assert "rouge-1: " in told(lambda: score_stream(tmp_path / "corpus", ["rouge-1"], tmp_path / "out", chunk_size=7))


def test_the_command_line_says_it_once(cli: Cli, tmp_path: Path) -> None:
    write_corpus(corpus(FRENCH), tmp_path / "c.jsonl")
    outcome = cli("score", tmp_path / "c.jsonl", "-m", "rouge-1", "-m", "rouge-2")
    assert outcome.code == 0
    assert outcome.err.count("warning: rouge-1, rouge-2: 18% of the words are split or lost") == 1


def test_no_text_worth_a_warning_is_passed_over_quickly() -> None:
    rng = random.Random(24)
    words = ["naïve", "Zoë's", "élève", "plain", "it's", "x", "—", "12"]
    passed_over = 0
    for common in range(120):
        weights = [1, 1, 1, common, common, common, 1, common]
        made = [" ".join(rng.choices(words, weights, k=rng.randrange(1, 30))) for _ in range(rng.randrange(1, 40))]
        texts = list(dict.fromkeys(made))
        letters = sum(text.count("ï") + text.count("ë") + text.count("é") + text.count("è") for text in texts)
        if _surely_few(letters, texts):
            passed_over += 1
            assert _harmed_share(pl.Series(texts)) == 0
    assert passed_over > 10


def test_the_check_costs_little() -> None:
    texts = [f"{FRENCH[i % 2]} {i}" for i in range(20_000)]
    requests = parse_requests(["rouge-1"])
    start = time.process_time()
    with pytest.warns(LanguageWarning):
        warn_of_letters(requests, texts)
    assert time.process_time() - start < 2  # about 0.1 s on one core


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((" ".join(texts), code) for texts, code in ((FRENCH, "fr"), (GERMAN, "de"), (CHINESE, "zh"))),
        ("The customer wants the money back and the agent agrees.", "en"),
        ("El cliente quiere que le devuelvan el dinero de la compra.", "es"),
        ("Il cliente non è contento della risposta e vuole i soldi.", "it"),
        ("O cliente não quer mais a encomenda e pede o dinheiro.", "pt"),
        ("De klant wil het geld terug en de winkel wil dat niet.", "nl"),
        ("Клиент не хочет ждать и просит вернуть деньги за заказ.", "ru"),
        ("Kunden vill ha pengarna och butiken säger att det inte är möjligt.", "sv"),
        ("返金をお願いします。", "ja"),
        ("OK", None),
    ],
)
def test_likely_languages(text: str, code: str | None) -> None:
    assert likely_language(text) == code
