"""How models are named."""

import pytest
from hypothesis import given, strategies as st

from dialgauge.errors import ModelError, ParameterError
from dialgauge.models import ModelRef


@pytest.mark.parametrize(
    ("text", "source", "name", "revision"),
    [
        ("roberta-large", "hub", "roberta-large", None),
        ("facebook/bart-large-cnn", "hub", "facebook/bart-large-cnn", None),
        ("facebook/bart-large-cnn@37f520f", "hub", "facebook/bart-large-cnn", "37f520f"),
        ("org/name@refs/pr/3", "hub", "org/name", "refs/pr/3"),
        (" org/name ", "hub", "org/name", None),
        ("folder:/a/b", "folder", "/a/b", None),
        ("folder:models/x:y,z=1", "folder", "models/x:y,z=1", None),
        ("folder:/a/b@0123456789ab", "folder", "/a/b", "0123456789ab"),
        ("folder:/a@home/b", "folder", "/a@home/b", None),
        ("embedded:minilm", "embedded", "minilm", None),
        ("chat:gpt-4o-mini", "chat", "gpt-4o-mini", None),
        ("chat:org/model:q4@http://127.0.0.1:8000/v1/", "chat", "org/model:q4", "http://127.0.0.1:8000/v1"),
    ],
)
def test_names(text: str, source: str, name: str, revision: str | None) -> None:
    ref = ModelRef.parse(text)
    assert (ref.source, ref.name, ref.revision) == (source, name, revision)
    assert ModelRef.parse(str(ref)) == ref


@pytest.mark.parametrize(
    "text", ["", " ", "/models/x", "a/b/c", "a b", "org/name@", "folder:", "chat:", "chat:@http://x", "what:x", "../x"]
)
def test_bad_names_are_told_the_grammar(text: str) -> None:
    with pytest.raises(ParameterError, match=r"parameter 'name' must be a hub id .* folder:/path .* embedded:NAME"):
        ModelRef.parse(text)


@given(st.text(max_size=40))
def test_any_text_is_a_name_or_an_error(text: str) -> None:
    try:
        ref = ModelRef.parse(text)
    except ParameterError:
        return
    assert ModelRef.parse(str(ref)) == ref


@pytest.mark.parametrize(
    "address",
    ["http://", "https:///v1", "httpfoo", "http://[::1", "http://host:port/v1", "http://a:0", "http://a b"],
)
def test_bad_addresses_of_endpoints(address: str) -> None:
    with pytest.raises(ParameterError, match=r"parameter 'address' must be an http or https address, as in https://h"):
        ModelRef.parse(f"chat:m@{address}")


@given(st.text(max_size=40))
def test_any_address_of_an_endpoint_is_kept_or_an_error(text: str) -> None:
    try:
        ref = ModelRef.parse(f"chat:m@http://{text}")
    except (ParameterError, ModelError):
        return
    assert ref.source == "chat"
    assert ModelRef.parse(str(ref)) == ref
