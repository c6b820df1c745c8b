"""Text for training and for the language model: where it comes from, how it is cut, and what is kept out of it.

Each source is public domain, CC0 or permissive (see README.md). Every sentence of the evaluation and development sets is removed before
anything is learned from a source, and so is every sentence that shares six words in a row with one of them.
"""

import argparse
import csv
import random
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import spoken
import templates

HERE = Path(__file__).parent
SHARED_WORDS = 6
"""A sentence that has this many words in a row in common with an evaluation sentence is left out."""

UNSEEN_CORPORA = ("pocketsphinx", "librivox_sonnet", "cmu_arctic", "librispeech")
"""Corpora of human recordings that are evaluation as a whole."""

UNSEEN_PEOPLE = {
    "an4_2": ("fvap", "marh", "menk", "miry"),
    "commonvoice_test": ("unknown",),
    "librispeech2": ("1737", "1867", "226", "32", "332", "4680"),
    "librispeech_test": tuple(
        """61 121 237 260 672 908 1089 1188 1221 1284 1320 1580 1995 2094 2300 2830 2961 3570 3575 3729 4077 4446 4507 4970
        4992 5105 5142 5639 5683 6829 6930 7021 7127 7176 7729 8224 8230 8455 8463 8555""".split()
    ),
}
"""People of the corpora of more_speech.py who are evaluation: no model of this project has been trained on them. A corpus and its parts
under other numbers have the same people."""

GATHERED = ("articles", "assistants", "dialogues", "meetings", "tables", "tatoeba")
SPOKEN = ("dialogues", "meetings")
"""Kinds of text that gather.py writes; in those of SPOKEN it matters how often a sentence is said."""

DEVELOPMENT_EVERY = {"commonvoice": 12, "kathleen": 94, "an4": 10, "picovoice": 62, "ljspeech": 29}
"""One clip in so many (the second, and so on) is development; corpora that are not named have none."""


def words(text: str) -> list[str]:
    """Lower-case words of a text as the recognizer writes them: letters and inner apostrophes; hyphens split."""
    return [word for word in (w.strip("'") for w in re.findall(r"[a-z']+", text.lower().replace("’", "'"))) if word]


def tidy(text: str) -> str:
    """One line of plain ASCII that a classical engine reads without surprises."""
    plain = text.translate(str.maketrans({"’": "'", "‘": "'", "“": "", "”": "", '"': "", "–": ",", "—": ","}))
    return re.sub(r"\s+", " ", re.sub(r"[()\[\]*_\\<>|]", "", plain)).encode("ascii", "ignore").decode().strip(" -,;")


def rows(path: Path) -> list[list[str]]:
    """Lines of an `a|b|c` file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE) if len(row) >= 3]


def is_evaluation(corpus: str, index: int) -> bool:
    """Whether line `index` (from 0) of a corpus of data/human belongs to the evaluation part, as its README divides it."""
    return corpus in UNSEEN_CORPORA or (corpus == "commonvoice" and index % 4 == 3)


def part(name: str, index: int, identity: str) -> str:
    """train, dev or eval: what line `index` (from 0) of a corpus is for."""
    if (name == "ljspeech" and identity.endswith("0")) or is_evaluation(name, index):
        return "eval"
    every = DEVELOPMENT_EVERY.get(name)
    return "dev" if every and index % every == 1 else "train"


def spoken_texts(data: Path, parts: tuple[str, ...]) -> list[str]:
    """Every sentence that is spoken in these parts; `eval` includes those of the synthetic voices and of UNSEEN_PEOPLE (AN4's apart, which all
    its people say)."""
    files = ("evaluation-sentences.txt", "unseen-sentences.txt") if "eval" in parts else ()
    found = [line for name in files for line in (HERE / name).read_text().rstrip("\n").split("\n")]
    for path in [data / "ljspeech/metadata.csv", *sorted((data / "human").glob("*/metadata.csv"))]:
        found += [row[2] for i, row in enumerate(rows(path)) if part(path.parent.name, i, row[0]) in parts]
    return found


class Heldout:
    """Knows whether a sentence gives away an evaluation sentence."""

    def __init__(self, texts: list[str]):
        lists = [words(text) for text in texts]
        self.whole = {" ".join(found) for found in lists if len(found) > 3}
        self.runs = {tuple(found[i : i + SHARED_WORDS]) for found in lists for i in range(len(found) - SHARED_WORDS + 1)}

    def __contains__(self, text: str) -> bool:
        found = words(text)
        return " ".join(found) in self.whole or any(tuple(found[i : i + SHARED_WORDS]) in self.runs for i in range(len(found) - SHARED_WORDS + 1))


def ljspeech(data: Path) -> list[str]:
    return [row[2] for row in rows(data / "ljspeech/all-text.csv")]


def common_voice(folder: Path) -> list[str]:
    """The sentences that Common Voice gives its readers (CC0): `server/data/en/*.txt` of its repository."""
    return [line for path in sorted(folder.glob("*.txt")) for line in path.read_text(encoding="utf-8", errors="ignore").split("\n") if line.strip()]


def book(path: Path) -> list[str]:
    """Sentences of a Project Gutenberg text without its legal frame."""
    text = path.read_text(encoding="utf-8", errors="ignore").replace("\r", "")
    start, end = re.search(r"\*\*\* ?START[^\n]*|\*END\*[^\n]*", text), re.search(r"\*\*\* ?END[^\n]*|End of (the )?Project Gutenberg", text)
    text = text[start.end() if start else 0 : end.start() if end else len(text)]
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        if "utenberg" in paragraph or paragraph.isupper():
            continue
        found += re.split(r"(?<=[.?!;:])[\"'”’]?\s+(?=[\"'“‘A-Z])", re.sub(r"\s+", " ", paragraph))
    return found


def wordnet(folder: Path) -> list[str]:
    """The example sentences of WordNet 3.0 (its licence permits any use with the notice)."""
    return [
        example
        for path in sorted(folder.glob("data.*"))
        for line in path.read_text(encoding="utf-8", errors="ignore").split("\n")
        if " | " in line
        for example in re.findall(r'"([^"]+)"', line.split(" | ", 1)[1])
    ]


def repeated(lines: Iterable[str]) -> list[str]:
    """Each line once, and once more each time its number doubles: "yes" is said often, but templates and copies should not rule."""
    return [line for line, number in Counter(lines).items() for _ in range(number.bit_length())]


def gathered(texts: Path) -> dict[str, list[str]]:
    """What gather.py wrote besides books and Common Voice: `KIND:SOURCE` with one utterance a line."""
    found = {}
    for kind in GATHERED:
        for path in sorted((texts / kind).glob("*.txt")):
            lines = path.read_text(encoding="utf-8").split("\n")
            found[f"{kind}:{path.stem}"] = repeated(map(tidy, lines)) if kind in SPOKEN else list(dict.fromkeys(map(tidy, lines)))
    return found


def sources(data: Path, texts: Path, wordnet_folder: Path, also_held_out: Iterable[str] = ()) -> dict[str, list[str]]:
    """All sentences by source, without those of evaluation and development and what else is held out. `texts` holds `cv/*.txt`, `books/*.txt` and
    what gather.py wrote."""
    heldout = Heldout([*spoken_texts(data, ("eval", "dev")), *also_held_out])
    found = {
        "ljspeech": ljspeech(data),
        "common_voice": common_voice(texts / "cv"),
        "wordnet": wordnet(wordnet_folder),
        "templates": templates.sentences(30_000),
    } | {f"book:{path.stem}": book(path) for path in sorted((texts / "books").glob("*.txt"))}
    once = {name: list(dict.fromkeys(map(tidy, lines))) for name, lines in found.items()} | gathered(texts)
    return {name: [line for line in lines if line and line not in heldout and spoken.say(line) not in heldout] for name, lines in once.items()}


def sentences_to_speak(found: dict[str, list[str]], seed: int) -> list[str]:
    """Sentences for synthetic voices: 15 to 130 characters, without digits, shuffled."""
    rng = random.Random(seed)
    chosen: list[str] = []
    for name, count in (("ljspeech", 9000), ("common_voice", 9000), ("wordnet", 5000), ("templates", 6000)):
        fit = [line for line in found[name] if 15 <= len(line) <= 130 and not re.search(r"\d|[A-Z]{3}", line)]
        chosen += rng.sample(fit, min(count, len(fit)))
    rng.shuffle(chosen)
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the sentences that synthetic voices speak in training.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/")
    parser.add_argument("--texts", type=Path, required=True, help="the folder with cv/ and books/")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    found = sources(options.data, options.texts, options.wordnet)
    for name, lines in found.items():
        print(f"{name:24} {len(lines):7} sentences {sum(len(words(line)) for line in lines):9} words")
    options.out.write_text("\n".join(sentences_to_speak(found, options.seed)) + "\n")


if __name__ == "__main__":
    main()
