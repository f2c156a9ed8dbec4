"""Metrics by the rules of a language: ROUGE equals rouge-score with Snowball and the same words; signatures, errors."""

import itertools

import pytest
import snowballstemmer
from hypothesis import given, settings, strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import Tokenizer

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.language import find_language
from dialgauge.metrics import parse_request, score_pairs, use_kernels

KINDS = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL", "rouge-lsum": "rougeLsum"}
TEXTS = {
    "fr": [
        "L'agente s'excuse ; elle rembourse les commandes livrées en retard.\nLe client est rassuré.",
        "La cliente a été remboursée de sa commande, livrée trop tard.",
        "Le client n'aime pas l'idée d'attendre jusqu'à demain.",
    ],
    "de": [
        "Die Kundin möchte ihre Bestellungen zurückgeben.\nDer Händler lehnt das ab.",
        "Der Kunde hat die Bestellung zurückgegeben; die Händlerin überweist das Geld.",
        "Möchten Sie größere Schuhe? Die Straße ist naß.",
    ],
    "ru": [
        "Клиентка хочет вернуть заказанные книги.\nПродавец согласился.",
        "Клиент вернул книгу, продавцы вернули деньги.",
        "Он ещё не звонил в магазин.",
    ],
}
ALGORITHMS = {"fr": "french", "de": "german", "ru": "russian"}


class Words(Tokenizer):
    """The words of a language in lower case; with stems, the longer ones by Snowball, as rouge-score does it."""

    def __init__(self, code: str, stem: bool) -> None:
        self._words, self._stemmer = find_language(code).words, snowballstemmer.stemmer(ALGORITHMS[code])
        self._stem = stem

    def tokenize(self, text: str) -> list[str]:
        words = self._words(text.lower())
        return [self._stemmer.stemWord(word) if self._stem and len(word) > 3 else word for word in words]


@pytest.mark.parametrize("kernel", ["c", "python"])
@pytest.mark.parametrize("stem", ["no", "yes"])
@pytest.mark.parametrize("code", TEXTS)
def test_rouge_is_rouge_scores_with_the_words_of_the_language(code: str, stem: str, kernel: str) -> None:
    scorer = RougeScorer(list(KINDS.values()), tokenizer=Words(code, stem == "yes"))
    pairs = list(itertools.product(TEXTS[code], repeat=2))
    specs = [f"{kind}:stem={stem},lang={code}" for kind in KINDS]
    with use_kernels(kernel):
        ours = score_pairs([a for a, _ in pairs], [b for _, b in pairs], specs)
    for row, (summary, reference) in zip(ours.rows(), pairs, strict=True):
        expected = scorer.score(reference, summary)
        assert row == tuple(expected[key].fmeasure for key in KINDS.values())
    if stem == "yes":  # stems find more in common than words do
        plain = score_pairs([a for a, _ in pairs], [b for _, b in pairs], [f"rouge-1:lang={code}"])
        assert ours[:, 0].mean() > plain[:, 0].mean()


@settings(deadline=None)
@given(st.lists(st.text("lL'’éÉe\u0301 -.qu\n中", max_size=20), min_size=2, max_size=2))
def test_any_text(texts: list[str]) -> None:
    words = Words("fr", True)
    (value,) = score_pairs(texts[:1], texts[1:], ["rouge-l:lang=fr,stem=yes"])[:, 0]
    if all(words.tokenize(text) for text in texts):
        assert value == RougeScorer(["rougeL"], tokenizer=words).score(texts[1], texts[0])["rougeL"].fmeasure
    else:
        assert value is None


def test_english_is_the_default_and_not_in_the_signature() -> None:
    assert parse_request("rouge-1:lang=en") == parse_request("rouge-1")
    assert parse_request("rouge-1:lang=en").column == "rouge-1"
    assert "lang" not in parse_request("meteor").signature
    assert parse_request("rouge-1:lang=fr").column == "rouge-1:lang=fr"
    assert "|lang:fr+snowball-" in parse_request("rouge-1:lang=fr").signature
    assert "|lang:zh|" in parse_request("length:lang=zh").signature


def test_chinese_by_language_is_chinese_by_tokens() -> None:
    pairs = ["用户询问密码。客服回答。"], ["客服回答用户。用户问密码。"]
    for kind in KINDS:
        found = score_pairs(
            *pairs, [f"{kind}:lang=zh", f"{kind}:tok=char", f"{kind}:lang=zh,tok=word", f"{kind}:tok=word"]
        )
        characters, as_before, words, words_as_before = found.row(0)
        assert characters == as_before
        assert words == words_as_before


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("rouge-1:lang=frr", UnknownNameError, "unknown language 'frr'; did you mean 'fr'"),
        ("rouge-1:lang=", UnknownNameError, "unknown language ''"),
        ("rouge-1:lang=zh,stem=yes", ParameterError, "language 'zh': parameter 'stem' must be 'no': it has no stemmer"),
        ("rouge-1:lang=fr,tok=word", ParameterError, "language 'fr': parameter 'tok' must be omitted"),
        ("length:lang=xx", UnknownNameError, "unknown language 'xx'"),
    ],
)
def test_what_a_language_cannot_do(spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        score_pairs(["a"], ["b"], [spec])


def test_meteor_compares_stems_of_the_language() -> None:
    summary, reference = ["Il aimait ses longues attentes."], ["Ils aimaient une longue attente !"]
    plain, french = score_pairs(summary, reference, ["meteor", "meteor:lang=fr"]).row(0)
    # il aim-, longu- attent-: 4 of 5 words on both sides, in 2 chunks
    assert french == pytest.approx((1 - 0.5 * (2 / 4) ** 3) * 0.8)
    assert plain < french


def test_statistics_by_language() -> None:
    text = "L'homme n'a pas dit un mot. M. Roy attend."
    assert score_pairs([text], None, ["length", "length:lang=fr"]).row(0) == (9, 11)
    german = "Sie kommt am 3. Mai. Er bleibt."
    assert score_pairs([german], None, ["sentences", "sentences:lang=de"]).row(0) == (3, 2)
    assert score_pairs(["用户，好。"], None, ["length:lang=zh"]).item() == 3  # marks are no words
