"""Derive the word tables of the perturbations from the WordNet 3.0 database files.

    apt-get install wordnet-base
    python tools/build_perturbation_tables.py /usr/share/wordnet src/dialgauge/perturb/wordnet

Writes ``antonyms.txt`` (adjectives), a word per line with its substitutes, the best first: ``WORD SUBSTITUTE …``;
``persons.txt``, the nouns that name a person; ``supersenses.txt``, the number of the supersense of each noun's first
sense; ``terms.txt``, the nouns of two words whose first is an adjective (``current account``); and
``clause_verbs.txt``, the verbs that take a clause (``verify that``), and ``ambiguous_nouns.txt``, the nouns that mostly
mean something else than their first sense; and ``evaleval_synonyms.txt``, ``evaleval_antonyms.txt`` (adjectives),
``evaleval_nouns.txt`` and ``evaleval_verbs.txt`` (hyponyms), a word and its substitute per line, for what imitates the
published code.
Only words in lower case are kept. The same input gives the same bytes.

- An antonym is one that WordNet links directly (``!``) to this very word, of its first senses that have one; those
  with *non-* are left out. Both must be words in use (counted five times in the sense-tagged texts, in any sense).
- The first sense of a noun is given where it was counted at least once.
- For ``evaleval`` a word keeps the most counted substitute of the first sense that has one, where the published code
  asks a masked language model.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

#: How many substitutes a word keeps.
MOST = 3
#: How often a substitute must have been counted in the sense-tagged texts to be called in use.
COUNTED = 5
PERSON = 18
#: The share of a noun's uses that its first sense must have for the noun to be called clear.
MOSTLY = 0.4
#: Frames of verbs: somebody …s that CLAUSE, somebody …s somebody that CLAUSE, somebody …s whether INFINITIVE.
CLAUSES = frozenset(("26", "29", "35"))
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

    def counted(self, word: str) -> int:
        """How often a word was counted, in any of its senses."""
        return sum(self.counts[word, offset] for offset in self.senses.get(word, ()))


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
            usable = [name for name in dict.fromkeys(found) if _usable(name) and not name.startswith("non")]
            in_use = [name for name in usable if part.counted(name) >= COUNTED]
            if in_use and part.counted(word) >= COUNTED:
                result.setdefault(word, in_use[:MOST])
    return result


def most_counted(part: Part, symbol: str) -> list[str]:
    """Word and the most counted word of its synset (no symbol), of those that it points to itself (``!``), or of
    those below (``~``), from the first of its senses that has one."""
    found = []
    for word, senses in sorted(part.senses.items()):
        for synset in (part.synsets[offset] for offset in senses):
            names = [] if symbol else list(synset.words)
            for sign, target, here, there in synset.pointers:
                if sign != symbol or target not in part.synsets or (here and synset.words[here - 1] != word):
                    continue
                names += part.synsets[target].words[there - 1 : there] if there else part.synsets[target].words
            usable = [name for name in dict.fromkeys(names) if _usable(name) and name != word and part.counted(name)]
            if usable and _usable(word) and part.counted(word):
                found.append(f"{word} {max(usable, key=part.counted)}")
                break
    return found


def persons(part: Part) -> list[str]:
    """The words whose first sense is a person and was counted at least once."""
    first = {word: senses[0] for word, senses in part.senses.items() if _usable(word)}
    return sorted(w for w, s in first.items() if part.synsets[s].supersense == PERSON and part.counts[w, s])


def supersenses(part: Part) -> list[str]:
    """Noun and the number of the supersense of its first sense."""
    first = {word: senses[0] for word, senses in part.senses.items() if _usable(word)}
    return [f"{w} {part.synsets[s].supersense}" for w, s in sorted(first.items()) if part.counts[w, s]]


def ambiguous_nouns(part: Part) -> list[str]:
    """The nouns whose first sense is less than :data:`MOSTLY` of what was counted."""
    found = []
    for word, senses in part.senses.items():
        total = part.counted(word)
        if _usable(word) and total >= COUNTED and part.counts[word, senses[0]] < MOSTLY * total:
            found.append(word)
    return sorted(found)


def clause_verbs(part: Part, folder: Path) -> list[str]:
    """The verbs that take a clause (*that*, *whether*) in one of their leading senses."""
    taking = set()
    for line in _lines(folder / "data.verb"):
        fields = line.split("|", 1)[0].split()
        at = 4 + 2 * int(fields[3], 16)
        frames = fields[at + 1 + 4 * int(fields[at]) :][1:]
        if CLAUSES & {*frames[1::3]}:
            taking.add(fields[0])
    return sorted(w for w, senses in part.senses.items() if _usable(w) and taking & {*senses[:SENSES]})


def terms(nouns: Part, adjectives: Part) -> list[str]:
    """Nouns of two words whose first is an adjective."""
    pairs = (word.split("_") for word in nouns.senses)
    return sorted(f"{p[0]} {p[1]}" for p in pairs if len(p) == 2 and all(map(_usable, p)) and p[0] in adjectives.senses)


def _usable(word: str) -> bool:
    return word.isalpha() and word == word.lower() and len(word) > 1


def _lines(path: Path) -> list[str]:
    """The lines of a database file without its licence, which is indented by two spaces."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(" ")]


def main(source: Path, target: Path) -> None:
    """Build and write the tables."""
    adjectives, nouns, verbs = Part(source, "adj", "35"), Part(source, "noun", "1"), Part(source, "verb", "2")
    opposites = antonyms(adjectives)
    tables = {
        "antonyms": [" ".join([word, *found]) for word, found in sorted(opposites.items()) if _usable(word)],
        "persons": persons(nouns),
        "supersenses": supersenses(nouns),
        "terms": terms(nouns, adjectives),
        "ambiguous_nouns": ambiguous_nouns(nouns),
        "clause_verbs": clause_verbs(verbs, source),
        "evaleval_synonyms": most_counted(adjectives, ""),
        "evaleval_antonyms": most_counted(adjectives, "!"),
        "evaleval_nouns": most_counted(nouns, "~"),
        "evaleval_verbs": most_counted(verbs, "~"),
    }
    for name, lines in tables.items():
        text = "\n".join(lines) + "\n"
        (target / f"{name}.txt").write_text(text, encoding="ascii")
        print(f"{name}: {len(lines):,} lines, {len(text):,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} WORDNET_FOLDER TABLE_FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
