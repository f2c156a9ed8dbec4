"""The corpus of a study: what the study file names, with the summaries that the run had written."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from dialgauge.corpus import (
    Corpus,
    Direction,
    ReadingSettings,
    add_ratings,
    count_by_reason,
    open_corpus,
    source_files,
    source_folder,
    too_much_left_out,
    what_to_do,
    with_allowance,
    write_corpus,
)
from dialgauge.errors import InputError, LeftOutError
from dialgauge.settings import setting
from dialgauge.study._context import Context
from dialgauge.study._digest import file_digest
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import GivenPath, Section, Stage, check_path
from dialgauge.study._study_file import SectionModel, StudyFile


class RatingsFile(SectionModel):
    """A file of ratings in a study and how it is read; a pattern such as ``ratings/*.csv`` names several."""

    file: str
    format: str | None = None
    map: dict[str, str | list[str]] = Field(default_factory=dict)


def _named_files(given: Any) -> Any:
    """A bare name is a file that needs no more said about it."""
    listed = given if isinstance(given, list | tuple) else [given]
    return tuple({"file": one} if isinstance(one, str) else one for one in listed)


class CorpusSection(ReadingSettings):
    """``[corpus]``: ``source`` is ``"embedded"``, ``"dataset:NAME"``, or a file or folder beside the study file.

    ``ratings`` names files with further ratings of its summaries; ``direction`` is ``directions`` as a table.
    """

    source: str = setting(..., "The embedded corpus, dataset:NAME, or a file or folder.")
    format: str | None = setting(None, "Format of the file, if its name does not show it.", option=False)
    map: dict[str, str | list[str]] = setting({}, "Use of columns, as in summary = 'hyp'.", option=False)
    strict: bool = setting(False, "Fail on invalid rows instead of skipping them.", option=False)
    ratings: Annotated[tuple[RatingsFile, ...], BeforeValidator(_named_files)] = setting(
        (), "File with further ratings of the summaries.", option=False
    )
    direction: dict[str, Direction] = setting(
        {}, "Direction of each dimension, as in redundancy = 'lower'.", option=False
    )

    @property
    def reading(self) -> ReadingSettings:
        """How the files are read: what the study file says about it, and no more."""
        given = {name: getattr(self, name) for name in ReadingSettings.model_fields if name in self.model_fields_set}
        tabled = tuple(f"{name}={direction}" for name, direction in self.direction.items())
        return ReadingSettings(**given | ({"directions": (*self.directions, *tabled)} if tabled else {}))

    def rating_files(self, home: Path) -> Iterator[tuple[str, Path, RatingsFile]]:
        """The files of ratings as the study names them, where they are, and how each is read."""
        for file in self.ratings:
            found = sorted(home.glob(file.file)) if any(sign in file.file for sign in "*?[") else [home / file.file]
            if not found:
                raise InputError(
                    f"corpus.ratings: no file is called {file.file} (paths are relative to the study file)"
                )
            for path in found:
                yield file.file if len(found) == 1 else str(path.relative_to(home)), path, file


class CorpusStage(Stage):
    """Reads the source, adds what ``[summarize]`` had written, and keeps the corpus that all other stages read."""

    name = "corpus"
    sections = (Section("corpus", CorpusSection, "required"),)
    inputs = ("summaries",)
    outputs = ("corpus",)

    def settings(self, context: Context) -> Mapping[str, Any]:
        return source_settings(context)

    def make(self, context: Context) -> Mapping[str, Any]:
        corpus = read_source(context)
        if "summaries" in context.done:
            from dialgauge.study.stages.summaries import with_written

            corpus = with_written(context, corpus)
        if corpus.summaries.is_empty():
            raise InputError(
                f"corpus.source: {context.section(CorpusSection).source} has no summaries"
                + (
                    ", and none could be generated"
                    if "summaries" in context.done
                    else "; generate some with a section [summarize]"
                )
            )
        write_corpus(corpus, context.folder / "corpus")
        context.corpus = replace(corpus, problems=())
        return {
            "notes": list(corpus.notes),
            "left_out": count_by_reason(corpus.problems),
            "problems": [str(replace(one, file=_as_named(context, one.file))) for one in corpus.problems],
        }

    def paths(self, settings: StudyFile, home: Path) -> Iterator[GivenPath]:
        source = settings.section(CorpusSection).source
        if source != "embedded" and not source.startswith("dataset:"):
            for path in source_files(source, home):
                yield ("corpus", "source"), source, path
        for name, path, _ in settings.section(CorpusSection).rating_files(home):
            yield ("corpus", "ratings"), name, path

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        return {"corpus": settings.section(CorpusSection).source}

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        return {"corpus": run.corpus, "problems": run.stage("corpus")["problems"]}


def source_settings(context: Context) -> dict[str, Any]:
    """All that tells the source from another: how it is read, and a digest of its content."""
    wanted = context.section(CorpusSection)
    found = source_files(wanted.source, context.home)
    for path in found:
        check_path("corpus.source", path)
    # The embedded corpus is part of the code.
    digests = [file_digest(path) for path in found]
    content = {"content": None if not digests else digests[0] if len(digests) == 1 else digests}
    files = {}
    for name, path, _ in wanted.rating_files(context.home):
        check_path("corpus.ratings", path)
        files[name] = file_digest(path)
    return wanted.model_dump() | content | ({"ratings_content": files} if files else {})


def read_source(context: Context) -> Corpus:
    """The corpus that the study file names, before anything is added to it."""
    if context.source is None:
        context.progress("reading the corpus", 0, 1)
        wanted = context.section(CorpusSection)
        corpus = open_corpus(
            wanted.source,
            home=context.home,
            format=wanted.format,
            mapping=wanted.map,
            strict=wanted.strict,
            reading=wanted.reading,
        )
        for _, path, file in wanted.rating_files(context.home):
            corpus = add_ratings(
                corpus, path, format=file.format, mapping=file.map, strict=wanted.strict, reading=wanted.reading
            )
        corpus = with_allowance(corpus, wanted.reading)
        if unread := [f"{account.file}: {account.unread}" for account in corpus.accounts if account.unread]:
            raise InputError(f"corpus: {unread[0]}")
        if too_much := too_much_left_out(corpus):
            advice = what_to_do(
                corpus,
                inspect="'dialgauge inspect FILE' shows each row",
                allow='corpus.allow_left_out = "20%"',
                repeats='corpus.repeats = "first" (or "last", "mean", "keep")',
            )
            raise LeftOutError(f"corpus: {'; '.join(too_much)}. {advice}")
        context.source = corpus
    return context.source


def _as_named(context: Context, file: str) -> str:
    """A file of the source as the study file names it: the folder it lies in is nobody's business."""
    source = context.section(CorpusSection).source
    folder = source_folder(source, context.home)
    below = folder is not None and file.startswith(str(folder))
    return source + file.removeprefix(str(folder)) if below else file
