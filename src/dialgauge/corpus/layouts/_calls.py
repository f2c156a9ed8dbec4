"""Transcripts of call platforms and of speech recognition: a dialogue per file."""

from collections.abc import Iterator, Mapping
from typing import Any

from dialgauge.corpus._turns import role_of
from dialgauge.corpus._types import Turn
from dialgauge.corpus.layouts._base import Builder, Layout, Record, turns_cell

_ROLES = {"internal": "agent", "external": "customer", "agent": "agent", "customer": "customer", "user": "customer"}


def _joined(pieces: Iterator[tuple[str, str, str | None]]) -> list[Turn]:
    """Turns from pieces (speaker, text, role); what one speaker says in a row is one turn."""
    turns: list[Turn] = []
    for speaker, text, role in pieces:
        words = text.strip()
        if not words:
            continue
        if turns and turns[-1].speaker == speaker:
            turns[-1] = Turn(speaker, f"{turns[-1].text} {words}", role)
        else:
            turns.append(Turn(speaker, words, role))
    return turns


def _is_genesys(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("transcripts")
    return "conversationId" in keys and isinstance(listed, list) and bool(listed) and "phrases" in listed[0]


def _genesys(builder: Builder) -> None:
    for line, record in builder.records:
        phrases = [phrase for part in record["transcripts"] for phrase in part.get("phrases") or ()]
        phrases.sort(key=lambda phrase: phrase.get("startTimeMs") or 0)

        def pieces(phrases: list[Any] = phrases) -> Iterator[tuple[str, str, str | None]]:
            for phrase in phrases:
                role = _ROLES.get(str(phrase.get("participantPurpose")).lower())
                who = (role or str(phrase.get("participantPurpose") or "")).capitalize()
                yield who, phrase.get("decoratedText") or phrase.get("text") or "", role

        language = record["transcripts"][0].get("language") if record["transcripts"] else None
        builder.add(
            line,
            {"dialogue_id": record["conversationId"], "dialogue": turns_cell(_joined(pieces())), "language": language},
        )


def _is_connect(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("Transcript")
    return isinstance(listed, list) and any(isinstance(one, Mapping) and "ParticipantId" in one for one in listed)


def _connect(builder: Builder) -> None:
    for line, record in builder.records:
        people = {
            one["ParticipantId"]: str(one.get("ParticipantRole") or "") for one in record.get("Participants") or ()
        }

        def pieces(
            record: Record = record, people: Mapping[str, str] = people
        ) -> Iterator[tuple[str, str, str | None]]:
            for one in record["Transcript"]:
                if one.get("Type") not in (None, "MESSAGE"):
                    continue
                name = people.get(one.get("ParticipantId")) or str(
                    one.get("ParticipantRole") or one.get("ParticipantId")
                )
                yield one.get("DisplayName") or name.capitalize(), one.get("Content") or "", _ROLES.get(name.lower())

        contact = record.get("CustomerMetadata") or {}
        given = contact.get("ContactId") or record.get("ContactId") or builder.stem(record)
        language = str(record.get("LanguageCode") or "") or None
        row = {"dialogue_id": given, "dialogue": turns_cell(_joined(pieces())), "language": language}
        summary = (record.get("ConversationCharacteristics") or {}).get("ContactSummary") or {}
        text = next(
            (part.get("Content") for part in summary.values() if isinstance(part, Mapping) and part.get("Content")),
            None,
        )
        builder.add(line, row | ({"system": "contact-lens", "summary": text} if text else {}))


def _is_twilio(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("sentences")
    return isinstance(listed, list) and bool(listed) and {"media_channel", "transcript"} <= set(listed[0])


def _twilio(builder: Builder) -> None:
    for line, record in builder.records:
        said = sorted(record["sentences"], key=lambda one: int(one.get("sentence_index") or 0))
        pieces = ((f"Channel {one['media_channel']}", one.get("transcript") or "", None) for one in said)
        given = record.get("transcript_sid") or said[0].get("transcript_sid") or builder.stem(record)
        builder.add(line, {"dialogue_id": given, "dialogue": turns_cell(_joined(iter(pieces)))})


def _is_whisper(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("segments")
    return (
        isinstance(listed, list)
        and bool(listed)
        and isinstance(listed[0], Mapping)
        and {"start", "end", "text"} <= set(listed[0])
    )


def _whisper(builder: Builder) -> None:
    """Whisper and WhisperX: segments, with speakers where they were distinguished."""
    for line, record in builder.records:
        said = [one for one in record["segments"] if str(one.get("text") or "").strip()]
        if any("speaker" in one for one in said):
            turns = _joined(
                (str(one.get("speaker") or ""), one["text"], role_of(str(one.get("speaker") or ""))) for one in said
            )
        else:
            turns = [Turn("", one["text"].strip()) for one in said]
        given = record.get("id") or builder.stem(record)
        builder.add(line, {"dialogue_id": given, "dialogue": turns_cell(turns), "language": record.get("language")})


def _is_aws(keys: frozenset[str], first: Record) -> bool:
    results = first.get("results")
    return isinstance(results, Mapping) and isinstance(results.get("items"), list) and "transcripts" in results


def _aws(builder: Builder) -> None:
    """AWS Transcribe: words and punctuation marks, with a speaker or channel each."""
    for line, record in builder.records:
        results = record["results"]
        labelled = {
            item["start_time"]: item.get("speaker_label") or segment.get("speaker_label")
            for segment in (results.get("speaker_labels") or {}).get("segments") or ()
            for item in segment.get("items") or ()
        }
        speakers: list[tuple[str, list[str]]] = []
        for item in results["items"]:
            word = item["alternatives"][0]["content"]
            who = item.get("speaker_label") or item.get("channel_label") or labelled.get(item.get("start_time"))
            if item.get("type") == "punctuation" and speakers:
                speakers[-1][1][-1] += word
            elif speakers and (who is None or speakers[-1][0] == who):
                speakers[-1][1].append(word)
            else:
                speakers.append((str(who or ""), [word]))
        turns = [Turn(who, " ".join(words)) for who, words in speakers]
        builder.add(line, {"dialogue_id": record.get("jobName") or builder.stem(record), "dialogue": turns_cell(turns)})


CALLS = (
    Layout("genesys", "Genesys Cloud transcript", _is_genesys, _genesys),
    Layout("amazon-connect", "Amazon Connect Contact Lens", _is_connect, _connect),
    Layout("twilio", "Twilio transcript", _is_twilio, _twilio),
    Layout("aws-transcribe", "AWS Transcribe", _is_aws, _aws),
    Layout("whisper", "Whisper transcript", _is_whisper, _whisper),
)
