"""Transcripts: who speaks, where a turn ends, subtitles, folders."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import Turn, read_corpus
from dialgauge.corpus._turns import parse_turns, role_of, split_speaker, write_turns
from dialgauge.errors import InputError


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Agent: Hello", ("Agent", "Hello")),
        ("#Person1#: I'm here.", ("#Person1#", "I'm here.")),
        ("客服：您好", ("客服", "您好")),
        ("Mary Ann O'Neil:yes", ("Mary Ann O'Neil", "yes")),
        ("[00:01:02] Agent: Hi", ("Agent", "Hi")),
        ("(1:02) Agent: Hi", ("Agent", "Hi")),
        ("Agent:", ("Agent", "")),
        ("Agent 2: 3 items", ("Agent 2", "3 items")),
        ("at 10:30 we meet", None),
        ("10:30", None),
        ("https://x.y/z", None),
        ("see http://x.y", None),
        (":)", None),
        ("no colon here", None),
        ("this is far too long to be the name of anybody at all: yes", None),
        ("one two three four five six: no", None),
        ("a | b: c", None),
    ],
)
def test_speakers(line: str, found: tuple[str, str] | None) -> None:
    assert split_speaker(line) == found


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("Agent: Hi\r\nAna: Ho\r\n\r\nmore", (Turn("Agent", "Hi", "agent"), Turn("Ana", "Ho\nmore"))),
        ("| Ana: Hi | Tom: Hello | world", (Turn("Ana", "Hi"), Turn("Tom", "Hello | world"))),
        ("just | some | bars", (Turn("", "just | some | bars"),)),
        ("A: x|y", (Turn("A", "x|y"),)),
        ("nobody speaks", (Turn("", "nobody speaks"),)),
        ('[{"speaker": "A", "text": "x"}]', (Turn("A", "x"),)),
        ("[laughs] A: x", (Turn("[laughs] A", "x"),)),
        ('[{"no": "turn"}]', (Turn('[{"no"', '"turn"}]'),)),
        ("", ()),
        (" \n ", ()),
    ],
)
def test_turns(text: str, turns: tuple[Turn, ...]) -> None:
    assert parse_turns(text) == turns


@pytest.mark.parametrize(
    ("speaker", "role"),
    [("Agent", "agent"), ("agent_2", "agent"), ("CUSTOMER 1", "customer"), ("用户", "user"), ("Ana", None), ("", None)],
)
def test_roles(speaker: str, role: str | None) -> None:
    assert role_of(speaker) == role


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
turn_lists = st.lists(st.builds(Turn, texts, texts, st.none() | texts), max_size=5).map(tuple)


@given(turn_lists)
def test_written_turns_are_read_back(turns: tuple[Turn, ...]) -> None:
    assert parse_turns(write_turns(turns)) == turns


@given(texts)
def test_any_text_gives_turns_that_keep_its_words(text: str) -> None:
    kept = " ".join(f"{turn.speaker} {turn.text}" for turn in parse_turns(text) if not text.strip().startswith("["))
    if not text.strip().startswith(("[", "(")):
        assert {c for c in text if c.isalnum()} <= set(kept)


def test_one_file_is_one_dialogue(tmp_path: Path) -> None:
    (tmp_path / "call 7.txt").write_text("Agent: Hello\nCustomer: Hi\n")
    corpus = read_corpus(tmp_path / "call 7.txt", strict=True)
    assert corpus.dialogue("call 7").turns == (Turn("Agent", "Hello", "agent"), Turn("Customer", "Hi", "customer"))


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("A: x")
    (tmp_path / "a.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>Hi\n")
    (tmp_path / "notes.md").write_text("not a transcript")
    corpus = read_corpus(tmp_path, strict=True)
    assert corpus.dialogues["dialogue_id"].to_list() == ["a", "b"]


def test_a_line_per_dialogue(tmp_path: Path) -> None:
    (tmp_path / "dials.txt").write_text("| A: x | B: y\n| A: z | B: w\n")
    assert read_corpus(tmp_path / "dials.txt").dialogues["dialogue_id"].to_list() == ["dials-1", "dials-2"]


VTT = """WEBVTT - a call

STYLE
::cue { color: white }

NOTE a remark
over two lines

1
00:00:01.000 --> 00:00:03.000 align:start
<v.loud Agent>Hello, <i>how</i> can</v>

2
00:00:03.000 --> 00:00:04.500
<v Agent>I help?</v>

3
00:00:05.000 --> 00:00:06.000
<v Ana>My card</v> <v Agent>yes?</v>

4
00:00:07.000 --> 00:00:09.000
is gone.
"""

SRT = "1\r\n00:00:01,000 --> 00:00:02,000\r\nAGENT: Hello\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nAna: Hi\r\n"


def test_webvtt(tmp_path: Path) -> None:
    (tmp_path / "c.vtt").write_text(VTT)
    assert read_corpus(tmp_path / "c.vtt").dialogue("c").turns == (
        Turn("Agent", "Hello, how can I help?", "agent"),
        Turn("Ana", "My card"),
        Turn("Agent", "yes? is gone.", "agent"),
    )


def test_srt(tmp_path: Path) -> None:
    (tmp_path / "c.srt").write_bytes(SRT.encode("utf-8-sig"))
    assert read_corpus(tmp_path / "c.srt").dialogue("c").turns == (Turn("AGENT", "Hello", "agent"), Turn("Ana", "Hi"))


def test_subtitles_without_cues(tmp_path: Path) -> None:
    (tmp_path / "c.vtt").write_text("WEBVTT\n\nnothing\n")
    with pytest.raises(InputError, match="no cues found"):
        read_corpus(tmp_path / "c.vtt")
