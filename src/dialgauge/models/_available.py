"""Check before any work is done that a model can be used: packages, files, endpoint; without loading it."""

import importlib.util
import os

from dialgauge.errors import MissingExtraError, ModelError
from dialgauge.models._load import check_files, need_packages
from dialgauge.models._refs import Kind, ModelRef
from dialgauge.models._resolve import resolve

#: Where a chat endpoint's address and key are looked up when the model's name does not carry the address.
CHAT_ADDRESS, CHAT_KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"


def check_available(kind: Kind, text: str, owner: str, parameter: str = "model") -> None:
    """Refuse a model that is missing, or whose packages are; the error says how to get it."""
    if not text:
        raise ModelError(f"{owner} has no default model: name one, as in {parameter}={_hint(kind)}")
    ref = ModelRef.parse(text)
    if (kind == "chat") != (ref.source == "chat"):
        raise ModelError(f"{owner}: {parameter}={text} is not a {kind} model; write it as in {parameter}={_hint(kind)}")
    if kind == "chat":
        if ref.revision is None and not os.environ.get(CHAT_ADDRESS):
            raise ModelError(
                f"{owner}: no endpoint for '{ref}': set {CHAT_ADDRESS}, or write {parameter}={_hint(kind)}"
            )
        return
    if kind == "parser":
        if importlib.util.find_spec("spacy") is None:
            raise MissingExtraError(owner, "parser")
    elif kind != "vectors":
        need_packages(owner)
    resolved = resolve(ref)
    if kind not in ("parser", "vectors"):
        check_files(resolved)


def _hint(kind: Kind) -> str:
    return "chat:MODEL@https://host/v1" if kind == "chat" else "folder:/path or a hub id"
