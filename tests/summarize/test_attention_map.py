"""Attention maps: the numbers of transformers by word, the page that shows them, and bad input."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dialgauge.affect import WORD, tagger
from dialgauge.errors import InputError, ModelError, ParameterError
from dialgauge.models import Model, load
from dialgauge.summarize import (
    GenerationSettings,
    ScratchModel,
    attention_map,
    attention_shares,
    build_scratch,
    generate,
    render_attention,
)
from dialgauge.summarize._generate import parts_of

DIALOGUE = "Joy: I love this phone, it's great!\nBob: The other one was terrible...\nJoy: See you on Monday."
SUMMARY = "Joy loves her great phone."
VADER = tagger("vader")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    shape = ScratchModel(1, 2, width=128, vocabulary=300, window=160, dropout=0.0)
    folder = build_scratch(shape, [DIALOGUE, SUMMARY], tmp_path_factory.mktemp("attention") / "model")
    return load("seq2seq", f"folder:{folder}", "cpu")


def test_rows_are_the_attention_of_transformers_summed_by_word(model: Model) -> None:
    """Held against the plain forward pass, with the pieces of each word found by their characters."""
    import torch

    mapped = attention_map(model, DIALOGUE, SUMMARY, layer=1, head=2)
    assert (mapped.layer, mapped.head, mapped.layers, mapped.heads) == (1, 2, 2, 2)
    source = model.tokenizer(DIALOGUE, return_offsets_mapping=True)
    target = model.tokenizer(SUMMARY, return_offsets_mapping=True)
    module = model.module
    module.set_attn_implementation("eager")
    with torch.no_grad():
        raw = module(
            input_ids=torch.tensor([source["input_ids"]]),
            labels=torch.tensor([target["input_ids"]]),
            output_attentions=True,
        ).cross_attentions[0][0, 1]
    module.set_attn_implementation("sdpa")
    assert raw.sum(dim=1).numpy() == pytest.approx(1)
    place = DIALOGUE.index("terrible")
    inside = [i for i, (begin, end) in enumerate(source["offset_mapping"]) if begin < place + 8 and end > place]
    write = SUMMARY.index("phone")
    rows = [i for i, (begin, end) in enumerate(target["offset_mapping"]) if begin < write + 5 and end > write]
    assert (
        DIALOGUE[source["offset_mapping"][inside[0]][0] : source["offset_mapping"][inside[-1]][1]].strip() == "terrible"
    )
    expected = raw[rows][:, inside].sum(dim=1).mean().item()
    row, column = mapped.summary.tokens.index("phone"), mapped.dialogue.tokens.index("terrible")
    assert mapped.weights[row, column] == pytest.approx(expected, rel=1e-5)


def test_the_last_layer_and_head_are_the_default_and_nothing_is_lost(model: Model) -> None:
    mapped = attention_map(model, DIALOGUE, SUMMARY)
    assert (mapped.layer, mapped.head) == (2, 2)
    assert mapped.weights.shape == (len(mapped.summary), len(mapped.dialogue))
    assert (mapped.weights >= 0).all()
    assert mapped.total.sum() + mapped.elsewhere == pytest.approx(1)
    assert 0 < mapped.elsewhere < 0.5
    assert (mapped.weights.sum(axis=1) <= 1 + 1e-6).all()
    assert mapped.unread == 0
    others = [
        attention_map(model, DIALOGUE, SUMMARY, layer=layer, head=head) for layer, head in ((1, 1), (1, 2), (2, 1))
    ]
    assert all(np.abs(other.weights - mapped.weights).max() > 1e-4 for other in others)
    assert model.module.config._attn_implementation == "sdpa"


def test_without_a_summary_the_model_writes_one(model: Model) -> None:
    settings = GenerationSettings(beams=1, longest=8, shortest=6, no_repeat=0)
    mapped = attention_map(model, DIALOGUE, generation=settings)
    assert mapped.summary.text == generate(model, [DIALOGUE], settings)[0]


def test_words_beyond_the_window_are_counted_and_get_nothing(model: Model) -> None:
    mapped = attention_map(model, DIALOGUE + " word" * 300, SUMMARY)
    assert mapped.unread > 200
    assert mapped.total[-mapped.unread :].sum() == 0
    page = render_attention([mapped], VADER)
    assert f"The last {mapped.unread} words of the dialogue" in page
    assert page.count(' unread" data-column') == mapped.unread
    assert "parts" not in page


def test_a_dialogue_longer_than_the_window_is_mapped_part_by_part(model: Model) -> None:
    """The words of each part's summary look at that part, as they would if it stood alone; nothing is unread."""
    lines = [f"{'Joy' if i % 2 else 'Bob Lee'}: I love phone number {i},  it's great!  " for i in range(14)]
    long = "\n".join(lines)
    settings = GenerationSettings(beams=1, longest=8, shortest=6)
    mapped = attention_map(model, long, generation=settings)
    parts = parts_of(model, long, model.max_length).texts
    assert mapped.parts == len(parts) > 1
    assert mapped.unread == 0
    assert mapped.summary.text == generate(model, [long], settings)[0]
    row = column = 0
    for part in parts:
        alone = attention_map(model, part, generation=settings)
        rows, columns = slice(row, row + len(alone.summary)), slice(column, column + len(alone.dialogue))
        assert mapped.dialogue.tokens[columns] == alone.dialogue.tokens
        assert mapped.weights[rows, columns] == pytest.approx(alone.weights, abs=1e-6)
        outside = np.delete(mapped.weights[rows], np.arange(columns.start, columns.stop), axis=1)
        assert not outside.any()
        row, column = rows.stop, columns.stop
    assert mapped.weights.shape == (row, column)
    assert f"it was read in {len(parts)} parts" in render_attention([mapped], VADER)


def test_a_turn_longer_than_the_window_keeps_its_words(model: Model) -> None:
    endless = "Joy: " + "I love this phone. See   you on Monday. " * 12
    mapped = attention_map(model, endless, generation=GenerationSettings(beams=1, longest=6, shortest=4))
    assert mapped.parts > 1
    assert mapped.unread == 0
    assert mapped.total.sum() + mapped.elsewhere == pytest.approx(1)
    assert (mapped.total > 0).all()


def test_a_prefix_is_none_of_the_words_and_a_window_bounds_what_is_read(model: Model) -> None:
    plain, led = (attention_map(model, DIALOGUE, SUMMARY, prefix=prefix) for prefix in ("", "I love it: "))
    assert led.dialogue.tokens == plain.dialogue.tokens
    assert attention_shares(led, VADER)[2].words == attention_shares(plain, VADER)[2].words
    assert led.elsewhere > plain.elsewhere
    assert attention_map(model, DIALOGUE, SUMMARY, window=20).unread > 5
    with pytest.raises(ParameterError, match="'window' must be at most 160"):
        attention_map(model, DIALOGUE, SUMMARY, window=161)
    settings = GenerationSettings(beams=1, longest=8, shortest=6)
    assert attention_map(model, DIALOGUE, generation=settings, window=30).parts > 1
    written = attention_map(model, DIALOGUE, generation=settings, prefix="see: ").summary.text
    assert written == generate(model, [f"see: {DIALOGUE}"], settings)[0]


def test_shares_of_attention_are_held_against_the_number_of_words(model: Model) -> None:
    mapped = attention_map(model, DIALOGUE, SUMMARY)
    negative, neutral, positive = attention_shares(mapped, VADER)
    assert [share.label for share in (negative, neutral, positive)] == ["negative", "neutral", "positive"]
    assert (negative.words, positive.words) == (1, 2)
    assert sum(share.attention_share for share in (negative, neutral, positive)) == pytest.approx(1)
    words = mapped.dialogue.kinds == WORD
    assert negative.word_share == pytest.approx(1 / words.sum())
    column = mapped.dialogue.tokens.index("terrible")
    assert negative.attention_share == pytest.approx(mapped.total[column] / mapped.total[words].sum())
    assert negative.lift == pytest.approx(negative.attention_share / negative.word_share)
    assert attention_shares(attention_map(model, "See you.", SUMMARY), VADER)[0].lift is None


class _Page(HTMLParser):
    """Text of a page, the marked words of its dialogues, and every tag that is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.marked: dict[str, list[str]] = {"positive": [], "negative": []}
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(dict(attrs).get("class") or "" if tag == "span" else "")

    def handle_endtag(self, tag: str) -> None:
        if self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for label, words in self.marked.items():
            if self.open and self.open[-1] == f"heat {label}":
                words.append(data)
        self.text.append(data)


def test_the_page_marks_sentiment_escapes_texts_and_stands_alone(model: Model) -> None:
    evil = "<script>go('x')</script> & \"</style>\" {{ 7 * 7 }} </script>"
    mapped = attention_map(model, f"{DIALOGUE}\nBob: {evil}", f"{SUMMARY} {evil}")
    page = render_attention([mapped, mapped], VADER, title=f"T {evil}", references=[evil, "Second"])
    read = _Page()
    read.feed(page)
    assert read.tags.count("script") == 2
    assert read.tags.count("section") == 2
    assert read.marked == {"positive": ["love", "great"] * 2, "negative": ["terrible"] * 2}
    assert "{{ 7 * 7 }}" in "".join(read.text)
    assert "go('x')" not in page.replace("&#39;", "")
    assert not re.search(r"""(src|href)=(?!"(#main|data:,)")|url\(|@import|https?://""", page)
    assert page == render_attention([mapped, mapped], VADER, title=f"T {evil}", references=[evil, "Second"])


def test_bad_input_is_refused(model: Model, golden_dir: Path) -> None:
    with pytest.raises(ParameterError, match="'layer' must be from 1 to 2; got 3"):
        attention_map(model, DIALOGUE, SUMMARY, layer=3)
    with pytest.raises(ParameterError, match="'head' must be from 1 to 2; got 0"):
        attention_map(model, DIALOGUE, SUMMARY, head=0)
    with pytest.raises(InputError, match="the dialogue is empty"):
        attention_map(model, " \n ", SUMMARY)
    with pytest.raises(InputError, match="is empty; give a summary to follow"):
        attention_map(model, DIALOGUE, " ")
    with pytest.raises(InputError, match="no map was given"):
        render_attention([], VADER)
    encoder = load("encoder", f"folder:{golden_dir / 'models' / 'tiny-bert'}", "cpu")
    with pytest.raises(ModelError, match="does not say how its decoder starts"):
        attention_map(encoder, DIALOGUE, SUMMARY)


def test_other_architectures_show_their_attention(golden_dir: Path) -> None:
    for name in ("tiny-t5", "tiny-bart"):
        mapped = attention_map(load("seq2seq", f"folder:{golden_dir / 'models' / name}", "cpu"), DIALOGUE, SUMMARY)
        assert mapped.total.sum() + mapped.elsewhere == pytest.approx(1)
        assert mapped.total.max() > 0


@pytest.mark.browser
def test_a_reader_points_to_a_word_and_sees_its_attention(model: Model, browser: Any, tmp_path: Path) -> None:
    """In a real browser: no script fails, the colours change and come back, a narrow screen suffices."""
    mapped = attention_map(model, DIALOGUE, SUMMARY)
    page_file = tmp_path / "attention.html"
    page_file.write_text(render_attention([mapped, mapped], VADER), encoding="utf-8")
    row = mapped.summary.tokens.index("great")
    own = np.round(100 * mapped.weights[row] / mapped.weights[row].max()).astype(int).tolist()
    spans = "[...document.querySelector('section').querySelectorAll('.heat')]"
    read = f"{spans}.map(span => +span.style.getPropertyValue('--strength'))"
    page = browser.new_page(viewport={"width": 390, "height": 800})
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(page_file.as_uri())
    whole = page.evaluate(read)
    word = page.locator("section").first.locator(f"[data-row='{row}']")
    word.click()
    assert page.evaluate(read) == own != whole
    page.mouse.move(0, 0)
    assert page.evaluate(read) == own
    assert word.get_attribute("aria-pressed") == "true"
    assert "“great”" in page.locator(".shown").first.inner_text()
    word.press("Escape")
    page.locator("h1").click()
    assert page.evaluate(read) == whole
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()
    assert failures == []
