"""Builds the lexicon of the English voice from CMUdict and measures its letter-to-sound model. See README.md."""

import argparse
import re
import time
import zlib
from collections import Counter
from pathlib import Path

from alignment import Chunk, align_all
from ngram import END, Model, read_word, train
from packing import write_lexicon
from phones import ALL_SYMBOLS, symbol, without_stress

ORDER = 5
CUTOFFS = {4: 2, 5: 3}
SEEN_AT_LEAST = 6
Pronunciations = dict[str, list[list[str]]]


def read_dictionary(path: Path) -> Pronunciations:
    """All pronunciations of each word, the usual one first. Takes CMUdict's own form and the npm package's `index.js`."""
    found: Pronunciations = {}
    line_form = re.compile(r'^\s*"?([a-z\'][a-z\'.-]*)(?:\((\d)\))?"?:?\s+"?([A-Z][A-Z0-9 ]*?)"?,?\s*(?:#.*)?$')
    for line in path.read_text(encoding="utf-8").lower().splitlines():
        key, _, value = line.partition(":" if '":' in line else " ")
        match = line_form.match(f"{key.strip()} {value.strip().upper()}")
        if match is None:
            continue
        phones = match[3].split()
        found.setdefault(match[1], []).append([symbol(phone) for phone in phones])
    return found


def held_out(word: str) -> bool:
    """A tenth of the words, the same on every run."""
    return zlib.crc32(word.encode()) % 10 == 0


class LetterToSound:
    """Graphones, their numbers (0 is the edge of a word), and the model over them."""

    def __init__(self, aligned: list[tuple[str, list[Chunk]]]) -> None:
        counts = Counter((letter, chunk) for word, chunks in aligned for letter, chunk in zip(word, chunks))
        self.graphones = sorted(pair for pair, count in counts.items() if count >= SEEN_AT_LEAST)
        number = {pair: i + 1 for i, pair in enumerate(self.graphones)}
        sentences = [[number.get(pair, -1) for pair in zip(word, chunks)] for word, chunks in aligned]
        self.model: Model = train([s for s in sentences if -1 not in s], ORDER, CUTOFFS)
        self.candidates: dict[str, list[int]] = {}
        for (letter, _), i in number.items():
            self.candidates.setdefault(letter, []).append(i)

    def read(self, word: str) -> list[str]:
        return [phone for i in read_word(word, self.model, self.candidates) for phone in self.graphones[i - 1][1]]


def distance(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def measure(rules: LetterToSound, words: list[str], dictionary: Pronunciations) -> None:
    """Prints errors against the nearest pronunciation that the dictionary has, phones alone and with stress."""
    for name, view in (("phones", without_stress), ("phones with stress", list)):
        errors = phones = wrong = 0
        for word in words:
            heard = view(rules.read(word))
            nearest, truth = min((distance(heard, view(p)), p) for p in dictionary[word])
            errors += nearest
            phones += len(truth)
            wrong += nearest > 0
        print(f"{name}: {100 * errors / phones:.1f} % of phones wrong, {100 * wrong / len(words):.1f} % of words; {len(words)} words")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dictionary", type=Path, help="CMUdict, or index.js of the npm package cmu-pronouncing-dictionary")
    parser.add_argument("output", type=Path, help="lexicon.bin to write")
    parser.add_argument("--measure", type=int, default=3000, metavar="WORDS", help="held-out words to read; 0 skips the measurement")
    options = parser.parse_args()
    started = time.time()
    dictionary = read_dictionary(options.dictionary)
    additions = read_dictionary(Path(__file__).with_name("additions.txt"))
    plain = [(word, all_of[0]) for word, all_of in sorted(dictionary.items()) if re.fullmatch(r"[a-z']{2,24}", word)]
    aligned = align_all(plain)
    print(f"{len(dictionary)} words, {len(aligned)} of {len(plain)} aligned, {time.time() - started:.0f} s")
    if options.measure > 0:
        rules = LetterToSound([pair for pair in aligned if not held_out(pair[0])])
        sizes = [len(level) for level in rules.model.prob[1:]]
        print(f"{len(rules.graphones)} graphones, n-grams by order {sizes}, {time.time() - started:.0f} s")
        unseen = [word for word, _ in plain if held_out(word)]
        every = max(1, len(unseen) // options.measure)
        measure(rules, unseen[::every], dictionary)
        print(f"measured, {time.time() - started:.0f} s")
    rules = LetterToSound(aligned)
    code = {s: i for i, s in enumerate(ALL_SYMBOLS)}
    merged = {word: all_of[0] for word, all_of in {**dictionary, **additions}.items()}
    entries = [(word, [code[s] for s in phones]) for word, phones in sorted(merged.items())]
    graphones = [(letter, [code[s] for s in chunk]) for letter, chunk in rules.graphones]
    write_lexicon(options.output, ALL_SYMBOLS, entries, [("", []), *graphones], rules.model)
    print(f"{options.output}: {len(entries)} words, {options.output.stat().st_size} bytes, {time.time() - started:.0f} s")


if __name__ == "__main__":
    assert END == 0
    main()
