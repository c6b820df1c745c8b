"""Build words.bin: vocabulary, pronunciations and trigram model, from the sources of corpus.py.

Pronunciations come from CMUdict and from flite's front end (its lexicon, else its letter-to-sound rules), at most three a word.
"""

import argparse
import json
import random
import re
import subprocess
from collections import Counter
from pathlib import Path

import corpus
import ngram
import packed
import phones

WEIGHTS = {"ljspeech": 2, "common_voice": 4, "wordnet": 2, "templates": 2}
"""How often a sentence of a source counts; books count twice. Common Voice sentences are the nearest to everyday speech."""

BOOK_WEIGHT = 2
WORD = re.compile(r"(?=.{1,21}$)[a-z]+('[a-z]{1,2})?")
SLURS = re.compile("nigg[aeu]|faggot|kike|chink('s|s)?$|spic(s)?$|wetback|raghead|darkie|darky|coon(s)?$|injun|jap(s)?$|tranny")
"""Words that books of their time use and that no recognizer should offer for something else."""

MOST_PRONUNCIATIONS = 3
SPOKEN_LETTERS = {
    "a": "ey", "b": "b iy", "c": "s iy", "d": "d iy", "e": "iy", "f": "eh f", "g": "jh iy", "h": "ey ch", "i": "ay", "j": "jh ey", "k": "k ey",
    "l": "eh l", "m": "eh m", "n": "eh n", "o": "ow", "p": "p iy", "q": "k y uw", "r": "aa r", "s": "eh s", "t": "t iy", "u": "y uw", "v": "v iy",
    "w": "d ah b ax l y uw", "x": "eh k s", "y": "w ay", "z": "z iy",
}  # fmt: skip
REDUCED = {"a": ["ax", "ey"], "the": ["dh ax", "dh iy"], "and": ["ae n d", "ax n d", "ae n"], "to": ["t uw", "t ax"], "of": ["ah v", "ax v"],
           "for": ["f ao r", "f er"], "an": ["ae n", "ax n"]}  # fmt: skip
"""How little words are said in running speech."""


def cmudict(package: Path) -> dict[str, list[list[str]]]:
    """Pronunciations by word from the npm package cmu-pronouncing-dictionary (its index.js is one object literal)."""
    found: dict[str, list[list[str]]] = {}
    for key, said in re.findall(r'^\s+["\']?([a-z\'().0-9]+?)["\']?:\s+["\']([A-Z0-9 ]+)["\']', package.read_text().replace("\\'", "'"), re.M):
        found.setdefault(key.split("(")[0], []).append(phones.from_cmudict(said))
    return found


def flite(front_end: Path, words: list[str]) -> dict[str, tuple[bool, list[str]]]:
    """By word: whether flite's lexicon has it, and its phones."""
    given = subprocess.run([front_end, "words"], input="\n".join(words) + "\n", capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in given.rstrip("\n").split("\n")]
    return {word: (known == "1", phones.from_flite(said)) for word, known, said in rows}


def possessive(said: list[str]) -> list[str]:
    if said[-1] in "s z sh ch jh zh".split():
        return [*said, "ax", "z"]
    return [*said, "s" if said[-1] in "p t k f th".split() else "z"]


def pronounce(word: str, dictionary: dict[str, list[list[str]]], spoken: dict[str, tuple[bool, list[str]]]) -> list[list[int]]:
    """Phone ids of a word's pronunciations, likeliest first; letter-to-sound rules only where no dictionary has the word."""
    if word in REDUCED:
        return [phones.ids(said.split()) for said in REDUCED[word]]
    if len(word) == 1:
        return [phones.ids(SPOKEN_LETTERS[word].split())]
    found = list(dictionary.get(word, []))
    stem = word[:-2] if word.endswith("'s") else None
    if not found and stem:
        found = [possessive(said) for said in dictionary.get(stem, [])] or [possessive(spoken[stem][1])]
    known, said = spoken[word]
    if (known and not stem) or not found:
        found = [said, *found] if known else [*found, said]
    unique = {tuple(said): said for said in found if said and all(phone in phones.ID for phone in said)}
    return [phones.ids(said) for said in list(unique.values())[:MOST_PRONUNCIATIONS]]


def vocabulary(counts: Counter, dictionary: dict, least: int) -> list[str]:
    """Every word of the text that CMUdict has, and others that are frequent; no slurs and no strings that no one can say."""

    def fit(word: str, number: int) -> bool:
        if not WORD.fullmatch(word) or SLURS.match(word):
            return False
        return word in dictionary or (number >= least and bool(re.search("[aeiouy]", word)) and not re.search(r"(.)\1\1", word))

    return sorted({word for word, number in counts.items() if fit(word, number)} | set(SPOKEN_LETTERS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/")
    parser.add_argument("--texts", type=Path, required=True, help="the folder with cv/ and books/")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--cmudict", type=Path, required=True, help="index.js of the npm package cmu-pronouncing-dictionary")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--least-unknown", type=int, default=4, help="how often a word outside of CMUdict must occur")
    parser.add_argument("--least-trigram", type=int, default=3)
    parser.add_argument("--least-bigram", type=int, default=2)
    parser.add_argument("--try-sizes", action="store_true", help="leave out every 40th Common Voice sentence, print perplexities of it, write nothing")
    parser.add_argument("--report", type=Path, help="write sizes and sources as JSON")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()

    found = corpus.sources(options.data, options.texts, options.wordnet)
    lines = {name: [words for words in map(corpus.words, texts) if len(words) > 1 or name == "templates"] for name, texts in found.items()}
    counts = Counter(word for texts in lines.values() for line in texts for word in line)
    dictionary = cmudict(options.cmudict)
    words = vocabulary(counts, dictionary, options.least_unknown)
    stems = [word[:-2] for word in words if word.endswith("'s")]
    spoken = flite(options.front_end, sorted({*words, *stems}))
    pronunciations = [pronounce(word, dictionary, spoken) for word in words]
    ids = {word: i + packed.FIRST for i, word in enumerate(words)}
    if options.try_sizes:
        left_out, lines["common_voice"] = lines["common_voice"][::40], [line for i, line in enumerate(lines["common_voice"]) if i % 40]
    weighted = [(line, WEIGHTS.get(name, BOOK_WEIGHT)) for name, texts in lines.items() for line in texts]
    random.Random(1).shuffle(weighted)
    trigrams = ngram.count(weighted, ids)
    if options.try_sizes:
        for least_trigram, least_bigram in ((3, 2), (5, 2), (4, 3), (5, 4), (2, 2)):
            model = ngram.estimate(trigrams, words, pronunciations, least_trigram, least_bigram)
            sizes = f"{len(model.bigram)} bigrams, {len(model.trigram)} trigrams"
            print(f"trigrams from {least_trigram}, bigrams from {least_bigram}: {sizes}, perplexity {ngram.perplexity(model, left_out):.1f}", flush=True)
        return
    model = ngram.estimate(trigrams, words, pronunciations, options.least_trigram, options.least_bigram)
    packed.write(options.out, model)
    report = {
        "bytes": options.out.stat().st_size, "words": len(words), "inCmudict": sum(word in dictionary for word in words),
        "pronunciations": sum(map(len, pronunciations)), "bigrams": len(model.bigram), "trigrams": len(model.trigram),
        "sources": {name: {"sentences": len(texts), "words": sum(map(len, texts))} for name, texts in lines.items()},
    }  # fmt: skip
    print(json.dumps(report, indent=1))
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
