"""Derive the word tables of the perturbations from the WordNet 3.0 database files.

    apt-get install wordnet-base
    python tools/build_perturbation_tables.py /usr/share/wordnet src/dialgauge/perturb/wordnet

Writes ``antonyms.txt``, ``synonyms.txt`` (adjectives) and ``hyponyms.txt`` (nouns), a word per line with its
substitutes, the best first: ``WORD SUBSTITUTE SUBSTITUTE …``, and ``persons.txt``, the nouns that name a person.
Only single words in lower case are kept. The same input gives the same bytes.

- An antonym is one that WordNet links directly (``!``) to this very word, of its first senses that have one; those
  with *non-* are left out.
- A synonym stands in the synset of the word's first sense; a hyponym in one directly below it, in the same supersense,
  and only where that is of concrete things. Each must be a word in use (counted in the sense-tagged texts, five times)
  whose own first sense this is, so that a reader understands what is meant.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

#: How many substitutes a word keeps.
MOST = 3
#: How often a substitute must have been counted in the sense-tagged texts to be called in use.
COUNTED = 5
#: The supersenses whose hyponyms are used: animal, artifact, food, object, person, phenomenon, plant, possession.
CONCRETE = {5, 6, 13, 17, 18, 19, 20, 21}
PERSON = 18
#: Senses of a word that are looked at for antonyms.
SENSES = 2


@dataclass
class Synset:
    """A set of synonyms, its supersense and its pointers: (symbol, target, place of the word, place of its target)."""

    words: list[str]
    supersense: int
    pointers: list[tuple[str, str, int, int]] = field(default_factory=list)


class Part:
    """One part of speech: its synsets, the senses of each word in order, and how often each was counted."""

    def __init__(self, folder: Path, stem: str, types: str) -> None:
        self.synsets = {}
        for line in _lines(folder / f"data.{stem}"):
            fields = line.split("|", 1)[0].split()
            count = int(fields[3], 16)
            words = [word.split("(", 1)[0] for word in fields[4 : 4 + 2 * count : 2]]
            synset = Synset(words, int(fields[1]))
            at = 4 + 2 * count
            for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
                symbol, target, _, places = fields[i : i + 4]
                synset.pointers.append((symbol, target, int(places[:2], 16), int(places[2:], 16)))
            self.synsets[fields[0]] = synset
        self.senses = {f[0]: f[-int(f[2]) :] for f in map(str.split, _lines(folder / f"index.{stem}"))}
        self.counts: dict[tuple[str, str], int] = defaultdict(int)
        for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
            key, number, times = line.split()
            lemma, _, rest = key.partition("%")
            # Some counts are of senses that later editions of the database no longer have.
            if rest[0] in types and int(number) <= len(self.senses.get(lemma, ())):
                self.counts[lemma, self.senses[lemma][int(number) - 1]] = int(times)

    def in_use(self, offset: str) -> list[tuple[int, str]]:
        """The words of a synset that are in use with it as their first sense, with their counts."""
        names = [w for w in self.synsets[offset].words if _usable(w) and self.senses[w][0] == offset]
        return [(self.counts[w, offset], w) for w in names if self.counts[w, offset] >= COUNTED]


def antonyms(part: Part) -> dict[str, list[str]]:
    """Word -> its direct antonyms, from the first of its leading senses that has one."""
    result = {}
    for word, senses in part.senses.items():
        for offset in senses[:SENSES]:
            synset = part.synsets[offset]
            found = [
                part.synsets[target].words[there - 1]
                for symbol, target, here, there in synset.pointers
                if symbol == "!" and here and synset.words[here - 1] == word
            ]
            if usable := [name for name in dict.fromkeys(found) if _usable(name) and not name.startswith("non")]:
                result.setdefault(word, usable[:MOST])
    return result


def synonyms(part: Part) -> dict[str, list[str]]:
    """Word -> words that share its first sense."""
    result = {}
    for word, senses in part.senses.items():
        found = sorted(part.in_use(senses[0]), key=lambda entry: (-entry[0], entry[1]))
        result[word] = [name for _, name in found if name != word][:MOST]
    return result


def hyponyms(part: Part) -> dict[str, list[str]]:
    """Word -> words directly below its first sense, in the same supersense."""
    result = {}
    for word, senses in part.senses.items():
        top = part.synsets[senses[0]]
        if top.supersense not in CONCRETE:
            continue
        below = [p[1] for p in top.pointers if p[0] == "~" and part.synsets[p[1]].supersense == top.supersense]
        found = sorted((entry for offset in below for entry in part.in_use(offset)), key=lambda e: (-e[0], e[1]))
        result[word] = [name for _, name in found if name != word][:MOST]
    return result


def persons(part: Part) -> list[str]:
    """The words whose first sense is a person and was counted at least once."""
    first = {word: senses[0] for word, senses in part.senses.items() if _usable(word)}
    return sorted(w for w, s in first.items() if part.synsets[s].supersense == PERSON and part.counts[w, s])


def _usable(word: str) -> bool:
    return word.isalpha() and word == word.lower() and len(word) > 1


def _lines(path: Path) -> list[str]:
    """The lines of a database file without its licence, which is indented by two spaces."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(" ")]


def main(source: Path, target: Path) -> None:
    """Build and write the tables."""
    adjectives, nouns = Part(source, "adj", "35"), Part(source, "noun", "1")
    tables = {"antonyms": antonyms(adjectives), "synonyms": synonyms(adjectives), "hyponyms": hyponyms(nouns)}
    for name, table in tables.items():
        lines = [" ".join([word, *found]) for word, found in sorted(table.items()) if found and _usable(word)]
        text = "\n".join(lines) + "\n"
        (target / f"{name}.txt").write_text(text, encoding="ascii")
        print(f"{name}: {len(lines):,} words, {len(text):,} bytes")
    (target / "persons.txt").write_text("\n".join(persons(nouns)) + "\n", encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} WORDNET_FOLDER TABLE_FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
