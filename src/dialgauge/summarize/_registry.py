"""Find summarizers by name: ours, and those that other packages add through the entry point group."""

import re
from collections.abc import Callable, Iterable
from operator import attrgetter

from dialgauge.errors import InputError
from dialgauge.registry import Registry
from dialgauge.summarize._system import Summarizer, SummarizerRequest

SUMMARIZERS: Registry[Summarizer] = Registry("summarizer", Summarizer, attrgetter("compute"))
register: Callable[..., None] = SUMMARIZERS.add
all_summarizers = SUMMARIZERS.all
find_summarizer = SUMMARIZERS.find

#: A name of one's own before the specification: ``bart=seq2seq:model=…``.
_NAMED = re.compile(r"([^:=]+)=([^:=]+)")


def parse_request(spec: str) -> SummarizerRequest:
    """Read ``[SYSTEM=]NAME[:PARAMETER=VALUE,…]``, as in ``longest:n=2`` or ``bart=seq2seq:model=folder:/m``.

    SYSTEM is what the summaries are filed under in the corpus; without it, the specification itself.
    """
    head, given = SUMMARIZERS.read(spec)
    named = _NAMED.fullmatch(head)
    system, name = (named[1].strip(), named[2].strip()) if named else ("", head)
    return SummarizerRequest.build(find_summarizer(name), given, system)


def parse_requests(specs: Iterable[str]) -> list[SummarizerRequest]:
    """Read several specifications. Repeated ones count once; two different ones of one system name are refused."""
    if isinstance(specs, str):
        raise InputError(f"systems must be a list of specifications; got the string {specs!r}: write [{specs!r}]")
    requests: dict[str, SummarizerRequest] = {}
    for spec in specs:
        request = parse_request(spec)
        earlier = requests.setdefault(request.system, request)
        if earlier != request:
            raise InputError(f"two different summarizers have the name {request.system!r}; use different names")
    if not requests:
        raise InputError("no system was given; 'dialgauge summarizers' lists them")
    return list(requests.values())
