"""Summaries written by a sequence-to-sequence model: BART, PEGASUS, T5 and whatever else transformers can load."""

from collections.abc import Iterator, Mapping, Sequence

from dialgauge.corpus import OVERALL, Dialogue
from dialgauge.metrics import Parameter
from dialgauge.models import DTYPES, Model, load
from dialgauge.summarize._chunks import Chunks, chunk_turns
from dialgauge.summarize._generate import batch_budget, count_tokens, generate, window_of
from dialgauge.summarize._registry import register
from dialgauge.summarize._roles import join_pieces
from dialgauge.summarize._settings import JOINTS, GenerationSettings, Reading
from dialgauge.summarize._system import Outcome, Summarizer, Task

#: Batches per portion: the maximum work lost by an interruption.
_BATCHES = 8


def read_in_parts(reading: Reading, model: Model, dialogue: Dialogue, role: str = OVERALL) -> Chunks:
    """The dialogue as inputs that the model can read: one, or several where it is longer than the window."""
    head = reading.head(role)
    # Counted as the model gets it: what stands before a text can change how its beginning is cut into tokens.
    chunks = chunk_turns(
        reading.shown(dialogue, role).turns,
        JOINTS[reading.joint],
        window_of(model, reading.window),
        lambda text: count_tokens(model, head + text),
    )
    return Chunks(tuple(head + text for text in chunks.texts), chunks.split_turns)


def write_summaries(
    model: Model,
    dialogues: Sequence[Dialogue],
    role: str = OVERALL,
    reading: Reading | None = None,
    settings: GenerationSettings | None = None,
    *,
    batch_tokens: int | None = None,
) -> Iterator[tuple[int, Outcome]]:
    """The model's summary of each dialogue under its position; a portion at a time, the longest dialogues first."""
    reading, settings = reading or Reading(), settings or GenerationSettings()
    parts = [read_in_parts(reading, model, dialogue, role) for dialogue in dialogues]
    loads = [
        sum(count_tokens(model, text) + settings.longest for text in chunks.texts) * settings.beams for chunks in parts
    ]
    for portion in _portions(loads, _BATCHES * batch_budget(model, batch_tokens)):
        texts = [text for i in portion for text in parts[i].texts]
        written = iter(generate(model, texts, settings, window=reading.window, batch_tokens=batch_tokens))
        for i in portion:
            summary = join_pieces([next(written) for _ in parts[i].texts])
            yield i, Outcome(summary, parts[i].note) if summary else Outcome(None, reason="the model generated no text")


def _portions(loads: Sequence[int], most: int) -> list[list[int]]:
    """Positions, the heaviest first, in portions of about ``most``."""
    portions: list[list[int]] = []
    size = most
    for i in sorted(range(len(loads)), key=lambda i: (-loads[i], i)):
        if size >= most:
            portions.append([])
            size = 0
        portions[-1].append(i)
        size += loads[i]
    return portions


def _compute(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
    model = load("seq2seq", parameters["model"], parameters["device"], parameters["dtype"])
    window = None if parameters["window"] == "auto" else int(parameters["window"])
    reading = Reading.chosen(
        None, {name: parameters[name] for name in ("prefix", "joint", "roles")} | {"window": window}
    )
    settings = GenerationSettings(
        beams=int(parameters["beams"]),
        longest=int(parameters["longest"]),
        shortest=int(parameters["shortest"]),
        length_penalty=float(parameters["length-penalty"]),
        no_repeat=int(parameters["no-repeat"]),
    )
    return write_summaries(model, task.dialogues, task.role, reading, settings, batch_tokens=task.means.batch_tokens)


_WHOLE, _FROM_ONE = (r"\d+", "a whole number"), (r"[1-9]\d*", "a whole number from 1")

register(
    Summarizer(
        name="seq2seq",
        description="any sequence-to-sequence checkpoint of transformers, from the hub or from a folder",
        citation="Lewis et al. 2020, BART: Denoising Sequence-to-Sequence Pre-training, ACL (and others)",
        compute=_compute,
        parameters={
            "model": Parameter("", (), "the checkpoint: a hub id (org/name@revision) or folder:/path"),
            "beams": Parameter("4", (), "beam size; 1 is greedy search", *_FROM_ONE),
            "longest": Parameter("128", (), "maximum number of tokens of a summary (of each part)", *_FROM_ONE),
            "shortest": Parameter("0", (), "minimum number of tokens of a summary", *_WHOLE),
            "length-penalty": Parameter(
                "1",
                (),
                "length penalty; above 1 prefers longer summaries among the beams",
                r"-?\d+(\.\d+)?",
                "a number",
            ),
            "no-repeat": Parameter("0", (), "do not repeat any N consecutive tokens; 0: no such rule", *_WHOLE),
            "prefix": Parameter("", (), 'prefix of the input, such as "summarize: " for T5'),
            "joint": Parameter("line", tuple(JOINTS), "separator of turns: a line break or a space"),
            "roles": Parameter(
                "turns",
                ("turns", "mark"),
                "for a role, turns: read only the turns of the role; mark: read all turns after [ROLE]",
            ),
            "window": Parameter(
                "auto",
                (),
                "input window in tokens; auto: the model's maximum",
                r"auto|[1-9]\d*",
                "auto or a whole number from 1",
            ),
            "device": Parameter(
                "auto", (), "device: auto, cpu, cuda or cuda:N", r"auto|cpu|cuda(:\d+)?", "auto, cpu, cuda or cuda:N"
            ),
            "dtype": Parameter("fp32", DTYPES, "precision of the model; bf16 is faster on a GPU and less exact"),
        },
        models={"model": "seq2seq"},
    )
)
