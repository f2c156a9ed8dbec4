"""How a model is named: by hub id and revision, by folder, by embedded default, or as a chat endpoint."""

import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from dialgauge.errors import ModelError, ParameterError

Source = Literal["hub", "folder", "embedded", "chat"]
#: What a model can do for us. ``vectors`` is a table of word vectors, ``parser`` a spaCy pipeline.
Kind = Literal[
    "encoder",
    "masked-lm",
    "causal-lm",
    "seq2seq",
    "token-classifier",
    "sequence-classifier",
    "qa",
    "chat",
    "vectors",
    "parser",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_REVISION = re.compile(r"[\w./-]+")
_PIN = re.compile(r"(.+)@([0-9a-f]{8,64})")
_GRAMMAR = (
    "a hub id (org/name or org/name@revision), folder:/path (or folder:/path@fingerprint), embedded:NAME, "
    "or chat:MODEL (or chat:MODEL@https://host/v1)"
)


def bare_address(address: str) -> str:
    """The address of an endpoint, which goes into signatures, tables and messages; one that holds a key is refused.

    The message does not repeat it. What is not a web address at all is refused, too.
    """
    if "@" in address or "?" in address or "#" in address:
        raise ModelError(
            "the address of a chat endpoint must be as in https://host/v1, without user, password or '?': it is "
            "written into results. Put the key into OPENAI_API_KEY, which is never written"
        )
    try:
        parts = urllib.parse.urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is not a number, half an IPv6 address
        usable = False
    if not usable or not address.isprintable() or " " in address:
        raise ParameterError("chat endpoint", "address", "an http or https address, as in https://host/v1", address)
    return address


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The name of a model.

    ``revision`` is a commit, tag or branch for the hub, the expected fingerprint for a folder (the load is refused if
    the files are others), and the base address for a chat endpoint.
    """

    source: Source
    name: str
    revision: str | None = None

    @classmethod
    def parse(cls, text: str) -> "ModelRef":
        """Read ``org/name@revision``, ``folder:/path``, ``embedded:minilm`` or ``chat:model@https://host/v1``."""
        text = text.strip()
        prefix, colon, rest = text.partition(":")
        if colon and prefix == "folder" and rest:
            pinned = _PIN.fullmatch(rest)
            path, revision = pinned.groups() if pinned else (rest, None)
            return cls("folder", str(Path(path).expanduser()), revision)
        if colon and prefix == "embedded" and rest:
            return cls("embedded", rest)
        if colon and prefix == "chat" and rest:
            model, at, address = rest.partition("@http")
            if model:
                return cls("chat", model, bare_address(f"http{address}".rstrip("/")) if at else None)
        name, at, revision = text.partition("@")
        if not _HUB_ID.fullmatch(name) or (at and not _REVISION.fullmatch(revision or "")):
            raise ParameterError("model", "name", _GRAMMAR, text)
        return cls("hub", name, revision or None)

    def __str__(self) -> str:
        head = self.name if self.source == "hub" else f"{self.source}:{self.name}"
        return f"{head}@{self.revision}" if self.revision else head
