"""Build words.bin: vocabulary, pronunciations and trigram model, from the sources of corpus.py.

Pronunciations come from CMUdict and from flite's front end (its lexicon, else its letter-to-sound rules), at most three a word.
"""

import argparse
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np

import corpus
import ngram
import packed
import phones
import spoken

GROUPS = {"dialogues:self-dialogue": "chat", "tables:common-voice": "common_voice"}
"""Which model of the mixture a source belongs to, where that is not what its name says before the colon."""

HELD_OUT_EVERY = 40
"""One sentence of Common Voice, and one stretch of so many lines of the other spoken text, in so many is held out to choose the weights."""

SHARES = {"common_voice": 0.3, "talk": 0.3, "clips": 0.3, "templates": 0.1}
"""How much each kind of held-out text has to say about the weights; `clips` is the text of TEXTS/held-out, which is in no source."""

WORD = re.compile(r"(?=.{1,21}$)[a-z]+('[a-z]{1,2})?")
LONGER = re.compile(r"(?=.{1,21}$)[a-z]+'[a-z]+")
"""Words that only a dictionary makes good: o'clock, o'brien."""

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


def vocabulary(counts: Counter, dictionary: dict, least: int, least_unknown: int) -> list[str]:
    """Words of the text that CMUdict has, and others that are frequent; no slurs and no strings that no one can say."""

    def fit(word: str, number: int) -> bool:
        if not (WORD.fullmatch(word) or (LONGER.fullmatch(word) and word in dictionary)) or SLURS.match(word):
            return False
        known = word in dictionary or (word.endswith("'s") and word[:-2] in dictionary)
        return number >= (least if known else least_unknown) and (known or bool(re.search("[aeiouy]", word)) and not re.search(r"(.)\1\1", word))

    return sorted({word for word, number in counts.items() if fit(word, number)} | set(SPOKEN_LETTERS))


def held_out(lines: list[list[str]], stretch: int) -> tuple[list[list[str]], list[list[str]]]:
    """(Every HELD_OUT_EVERYth stretch of lines, the rest without the sentences of those stretches that have more than three words)."""
    out = [line for i, line in enumerate(lines) if i // stretch % HELD_OUT_EVERY == 0]
    known = {tuple(line) for line in out if len(line) > 3}
    return out, [line for i, line in enumerate(lines) if i // stretch % HELD_OUT_EVERY and tuple(line) not in known]


def lines_of(found: dict[str, list[str]]) -> dict[str, list[list[str]]]:
    """Words by source and sentence; a single word is a sentence only where people talk."""
    talk = ("templates", *corpus.SPOKEN)
    found = {name: list(map(corpus.words, map(spoken.say, texts))) for name, texts in found.items()}
    return {name: [words for words in texts if len(words) > (name.split(":")[0] not in talk)] for name, texts in found.items()}


def grouped(lines: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    groups: dict[str, list[list[str]]] = {}
    for name, texts in lines.items():
        groups.setdefault(GROUPS.get(name, name.split(":")[0]), []).extend(texts)
    return groups


def split(lines: dict[str, list[list[str]]], clips: list[list[str]]) -> tuple[dict[str, list[list[str]]], dict[str, list[list[str]]]]:
    """(Held-out sentences by what they stand for, the rest by source). No source keeps a held-out sentence of more than three words."""
    out: dict[str, list[list[str]]] = {"common_voice": [], "talk": [], "clips": clips, "templates": []}
    rest = {}
    for name, texts in lines.items():
        kind = name.split(":")[0]
        if kind in out or kind in ("assistants", "dialogues", "meetings"):
            left, rest[name] = held_out(texts, 1 if kind in out else HELD_OUT_EVERY)
            out[kind if kind in out else "talk"] += left
        else:
            rest[name] = texts
    known = {tuple(line) for texts in out.values() for line in texts if len(line) > 3}
    rest = {name: [line for line in texts if tuple(line) not in known] for name, texts in rest.items()}
    return {kind: texts for kind, texts in out.items() if texts}, rest


def choose_weights(rest: dict, out: dict, ids: dict[str, int]) -> tuple[list[ngram.Source], np.ndarray, dict[str, np.ndarray]]:
    """Models of the groups without the held-out sentences, their weights (chosen on the even held-out sentences), and the odd ones to judge by."""
    sources = [ngram.Source(ngram.tokens(texts, ids), len(ids) + packed.FIRST) for texts in grouped(rest).values()]
    each = [ngram.mixture_weights(sources, ngram.tokens(texts[::2], ids)) for texts in out.values()]
    weights = np.average(each, axis=0, weights=[SHARES[kind] for kind in out])
    return sources, weights, {name: ngram.tokens(texts[1::2], ids) for name, texts in out.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/")
    parser.add_argument("--texts", type=Path, required=True, help="the folder with cv/, books/ and what gather.py wrote")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--cmudict", type=Path, required=True, help="index.js of the npm package cmu-pronouncing-dictionary")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--also-held-out", type=Path, nargs="+", default=[], help="files of sentences that are left out like those of evaluation")
    parser.add_argument("--least", type=int, default=1, help="how often a word of CMUdict must occur")
    parser.add_argument("--least-unknown", type=int, default=10, help="how often any other word must occur")
    parser.add_argument("--bytes", type=int, default=9_000_000, help="what bigrams and trigrams may take in the file")
    parser.add_argument("--try-sizes", type=int, nargs="*", help="before the build, print perplexities of held-out text for models of these sizes")
    parser.add_argument("--report", type=Path, help="write sizes and sources as JSON")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()

    also_held_out = [line for path in options.also_held_out for line in path.read_text(encoding="utf-8").split("\n")]
    lines = lines_of(corpus.sources(options.data, options.texts, options.wordnet, also_held_out))
    counts = Counter(word for texts in lines.values() for line in texts for word in line)
    dictionary = cmudict(options.cmudict)
    words = vocabulary(counts, dictionary, options.least, options.least_unknown)
    stems = [word[:-2] for word in words if word.endswith("'s")]
    spoken_by_flite = flite(options.front_end, sorted({*words, *stems}))
    pronunciations = [pronounce(word, dictionary, spoken_by_flite) for word in words]
    ids = {word: i + packed.FIRST for i, word in enumerate(words)}
    clips = [corpus.words(line) for path in sorted((options.texts / "held-out").glob("*.txt")) for line in path.read_text().split("\n") if line]
    out, rest = split(lines, clips)
    sources, weights, judged = choose_weights(rest, out, ids)
    unknown = {name: round(100 * float((held[2] == packed.UNKNOWN).sum() / (held[2] != packed.END).sum()), 2) for name, held in judged.items()}
    for size in options.try_sizes or ():
        model = ngram.mix(sources, weights, words, pronunciations, size)
        found = ", ".join(f"{name} {ngram.perplexity(model, held):.1f}" for name, held in judged.items())
        print(f"{len(model.bigrams)} bigrams, {len(model.trigrams)} trigrams: perplexity {found}", flush=True)
    groups = grouped(lines)
    del sources, rest
    sources = [ngram.Source(ngram.tokens(texts, ids), len(ids) + packed.FIRST) for texts in groups.values()]
    model = ngram.mix(sources, weights, words, pronunciations, options.bytes)
    packed.write(options.out, model)
    report = {
        "bytes": options.out.stat().st_size, "words": len(words), "inCmudict": sum(word in dictionary for word in words),
        "pronunciations": sum(map(len, pronunciations)), "bigrams": len(model.bigrams), "trigrams": len(model.trigrams),
        "outOfVocabulary": unknown,
        "weights": dict(zip(groups, np.round(weights, 4).tolist(), strict=True)),
        "sources": {name: {"sentences": len(texts), "words": sum(map(len, texts))} for name, texts in lines.items()},
    }  # fmt: skip
    print(json.dumps(report, indent=1))
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
