"""Text of spoken and everyday English out of the repositories of SOURCES, TATOEBA and BOOKS: one utterance a line, `TEXTS/KIND/SOURCE.txt`.

Each source is public domain, CC0, CC BY, MIT, BSD or CDLA-Permissive. CHECKOUTS holds one git directory for each repository, `owner+name`;
files that a copy lacks are passed over, so a fuller copy gives more text (of Taskmaster, SLURP and MultiDoGO ours had only a part).
"""

import argparse
import csv
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

TATOEBA = {
    "fra": ("Soubhagya264+Language_Translator-Encoder-Decoder-", "fra.txt"), "deu": ("DarrenCarvalho+Language-Translation", "data/deu.txt"),
    "cmn": ("remysys+dl", "data/cmn.txt"), "tur": ("devcem+Statistical-Spinner", "tur.txt"), "nld": ("devcem+Statistical-Spinner", "nld.txt"),
}  # fmt: skip
"""Tatoeba's English sentences beside their translations, a tab between."""

BOOKS = """A-Room-with-a-View_2641 Alice-Adams_980 Anne-of-Green-Gables_45 Babbitt_1156 Badge-of-Infamy_19471 Daddy-Long-Legs_157 Deathworld_28346
Four-Day-Planet_19478 Howards-End_2891 Key-Out-of-Time_19651 Little-Fuzzy_18137 Murder-in-the-Gunroom_17866 My-Antonia_242 My-Man-Jeeves_8164
Of-Human-Bondage_351 Omnilingual_19445 Penrod_402 Plague-Ship_16921 Police-Your-Planet_20212 Pollyanna_1450 Pygmalion_3825 Right-Ho-Jeeves_10554
Second-Variety_32032 Sons-and-Lovers_217 Space-Prison_22549 Space-Viking_20728 Star-Born_18458 Storm-Over-Warlock_20788 The-Age-of-Innocence_541
The-Beautiful-and-Damned_9830 The-Circular-Staircase_434 The-Cosmic-Computer_20727 The-Moon-and-Sixpence_222
The-Mysterious-Affair-at-Styles_863 The-Railway-Children_1874 The-Secret-Adversary_1155 The-Sky-Is-Falling_18768 The-Status-Civilization_20919
The-Thirty-Nine-Steps_558 The-Time-Traders_19145 The-Variable-Man_32154 The-Wind-in-the-Willows_289 The-Wonderful-Wizard-of-Oz_55
This-Side-of-Paradise_805 Three-Men-in-a-Boat_308 Voodoo-Planet_18846 Women-in-Love_4240""".split()
"""Books of Project Gutenberg, most of them of 1900 to 1963, by the names of their repositories of GITenberg."""


class Checkout:
    """A repository: its files by path."""

    def __init__(self, folder: Path):
        self.git = next(path for path in (folder / "repo/.git", folder / "repo", folder / ".git", folder) if (path / "HEAD").exists())
        listed = subprocess.run(["git", "--git-dir", self.git, "ls-tree", "-r", "-l", "HEAD"], capture_output=True, text=True, check=False).stdout
        rows = [re.fullmatch(r"\d+ blob (\w+) +(\w+)\t(.*)", line) for line in listed.split("\n")]
        self.blobs = {row[3]: row[1] for row in rows if row and row[2] != "BAD"}

    def read(self, pattern: str) -> Iterator[str]:
        """Texts of the files whose whole path matches."""
        return (data.decode("utf-8", "ignore") for data in self.read_bytes(pattern))

    def read_bytes(self, pattern: str) -> Iterator[bytes]:
        paths = [path for path in self.blobs if re.fullmatch(pattern, path)]
        if not paths:
            raise FileNotFoundError(f"{self.git}: no file {pattern}")
        asked = "".join(f"{self.blobs[path]}\n" for path in paths).encode()
        given = subprocess.run(["git", "--git-dir", self.git, "cat-file", "--batch"], input=asked, capture_output=True, check=True).stdout
        at = 0
        for _ in paths:
            end = given.index(b"\n", at)
            size = int(given[at:end].split()[2])
            yield given[end + 1 : end + 1 + size]
            at = end + size + 2


def sentences(turns: Iterable[str]) -> Iterator[str]:
    """Turns of a dialogue cut at the ends of sentences."""
    for turn in turns:
        yield from re.split(r"(?<=[.?!])(?<!\b[MDS][rst]\.)(?<!\bMrs\.)\s+", turn)


def nested(value, key: str) -> Iterator[str]:
    """Every string under a key, anywhere in a JSON value."""
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if name == key and isinstance(inner, str):
            yield inner
        else:
            yield from nested(inner, key)


def json_lines(text: str) -> Iterator[dict]:
    return (json.loads(line) for line in text.split("\n") if line)


def taskmaster(repo: Checkout) -> Iterator[str]:
    """Taskmaster-4, and the part of Taskmaster-3 that comes as small files."""
    for text in repo.read(r"TM-4-2024/data/data_\d+\.json"):
        yield from sentences(said["text"] for dialogue in json.loads(text) for said in dialogue["utterances"])
    for text in repo.read(r"TM-3-2020/reward/reward_\d+\.json"):
        for example in json.loads(text):
            yield from sentences(turn["text"] for turn in json.loads(example["context"]) if turn.get("text"))
    for text in repo.read(r"TM-3-2020/splits/.*\.tsv"):
        yield from sentences(said for _, said in re.findall(r"<(U|A)>([^<\t]+)", text))


def star(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"dialogues/\d+\.json"):
        events = json.loads(text)["Events"]
        yield from sentences(event["Text"] for event in events if event.get("Action") in ("utter", "pick_suggestion") and event.get("Text"))


def self_dialogue(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"corpus/.*\.csv"):
        for row in csv.DictReader(io.StringIO(text)):
            said = [(int(name[15:]), value) for name, value in row.items() if name and re.fullmatch(r"Answer\.sentence\d+", name) and value]
            yield from sentences(value for _, value in sorted(said))


def multidogo(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"data/paper_splits/splits_annotated_at_turn_level/.*\.tsv"):
        yield from sentences(line.split("\t")[3] for line in text.split("\n")[1:] if line.count("\t") >= 3)


def chatterbot(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"chatterbot_corpus/data/english/.*\.yml"):
        yield from sentences(line.lstrip("- ") for line in text.split("\n") if line.lstrip().startswith("- "))


def slurp(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"dataset/slurp/.*\.jsonl"):
        yield from (row["sentence"] for row in json_lines(text))
    yield from next(repo.read(r"dataset/lm/lm\.txt")).split("\n")


def home_robot(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r".*out4RasaReal/.*/(merged|mergedTestset)/.*\.json"):
        yield from nested(json.loads(text), "text")


def clinc(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"data/data_(full|oos_plus)\.json"):
        yield from (said for part in json.loads(text).values() for said, _ in part)


def polyai(repo: Checkout) -> Iterator[str]:
    """Without `span_extraction/dstc8`: what it was taken from is under share-alike terms."""
    for text in repo.read(r"banking_data/(train|test)\.csv"):
        yield from sentences(row["text"] for row in csv.DictReader(io.StringIO(text)))
    for text in repo.read(r"span_extraction/restaurant8k/.*\.json"):
        yield from sentences(row["userInput"]["text"] for row in json.loads(text))
    for text in repo.read(r"nlupp/data/(banking|hotels)/fold\d+\.json"):
        yield from sentences(nested(json.loads(text), "text"))


def snips(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"2017-06-custom-intent-engines/.*/(train_\w+_full|validate_\w+)\.json"):
        for queries in json.loads(text).values():
            yield from ("".join(part["text"] for part in query["data"]) for query in queries)


def home_assistant(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"tests/en/.*\.yaml"):
        yield from (line.strip(" -\"'") for line in text.split("\n") if re.match(r"\s+- [a-zA-Z\"'][^:{}\[\]]*$", line))


def ami(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"data/ami-transcripts/.*\.txt"):
        yield from sentences([re.sub(r"\s+([.,?!'])", r"\1", text)])


def icsi(repo: Checkout) -> Iterator[str]:
    """The meetings of ICSI as QMSum gives them."""
    for text in repo.read(r"data/Academic/jsonl/.*\.jsonl"):
        for meeting in json_lines(text):
            turns = (re.sub(r"\s+([.,?!]|'[a-z])", r"\1", re.sub(r"\{\w+\}|\s-\s", " ", turn["content"])) for turn in meeting["meeting_transcripts"])
            yield from sentences(re.sub(r"\s+", " ", turn) for turn in turns)


def space_flights(repo: Checkout) -> Iterator[str]:
    """What was said over the radio: NASA's transcripts."""
    for text in repo.read(r"missions/(a|g|ma|mr)\d+/transcripts/(TEC|CM|ATG|PAO)"):
        plain = re.sub(r"\[glossary:(?:[^|\]]*\|)?([^\]]*)\]", r"\1", text)
        said = re.findall(r"^[A-Z][A-Z0-9/ -]*:[ \t]*(.+(?:\n[ \t]+.+)*)", plain, re.M)
        turns = (re.sub(r"\s+", " ", re.sub(r"[A-Z]{2,}", lambda found: found[0].lower(), turn)) for turn in said)
        yield from sentences(turns)


def factbook(repo: Checkout) -> Iterator[str]:
    """Whole sentences of the World Factbook."""
    for text in repo.read(r"[a-z-]+/[a-z]{2}\.json"):
        for found in nested(json.loads(text), "text"):
            yield from (line for line in sentences([re.sub(r"<[^>]+>", " ", found)]) if line.count(" ") > 4 and line.endswith("."))


def wikinews(repo: Checkout) -> Iterator[str]:
    for text in repo.read(r"data/.*\.csv"):
        yield from sentences(line for row in csv.DictReader(io.StringIO(text)) for line in row["text"].split("\n"))


def state_union(repo: Checkout) -> Iterator[str]:
    """The presidents' speeches to the Congress since 1945."""
    archive = zipfile.ZipFile(io.BytesIO(next(repo.read_bytes(r"packages/corpora/state_union\.zip"))))
    for name in archive.namelist():
        if name.endswith(".txt"):
            yield from sentences([re.sub(r"\s+", " ", archive.read(name).decode("utf-8", "ignore"))])


SOURCES = {
    "dialogues/taskmaster": ("google-research-datasets+Taskmaster", taskmaster),
    "dialogues/star": ("RasaHQ+STAR", star),
    "dialogues/self-dialogue": ("jfainberg+self_dialogue_corpus", self_dialogue),
    "dialogues/chatterbot": ("gunthercox+chatterbot-corpus", chatterbot),
    "dialogues/multidogo": ("awslabs+multi-domain-goal-oriented-dialogues-dataset", multidogo),
    "assistants/slurp": ("pswietojanski+slurp", slurp),
    "assistants/home-robot": ("xliuhw+NLU-Evaluation-Data", home_robot),
    "assistants/clinc": ("clinc+oos-eval", clinc),
    "assistants/polyai": ("PolyAI-LDN+task-specific-datasets", polyai),
    "assistants/snips": ("snipsco+nlu-benchmark", snips),
    "assistants/home-assistant": ("home-assistant+intents", home_assistant),
    "meetings/ami": ("gcunhase+AMICorpusXML", ami),
    "meetings/icsi": ("Yale-LILY+QMSum", icsi),
    "meetings/space-flights": ("Spacelog+Spacelog", space_flights),
    "articles/factbook": ("factbook+factbook.json", factbook),
    "articles/wikinews": ("vanatteveldt+wikinews", wikinews),
    "articles/state-union": ("nltk+nltk_data", state_union),
}


def gather(checkouts: Path) -> Iterator[tuple[str, list[str]]]:
    """Every file of TEXTS but those of Common Voice: its name and lines."""
    for name, (repository, read) in SOURCES.items():
        yield name, list(read(Checkout(checkouts / repository)))
    for language, (repository, path) in TATOEBA.items():
        text = next(Checkout(checkouts / repository).read(re.escape(path)))
        yield f"tatoeba/{language}", list(dict.fromkeys(line.split("\t")[0] for line in text.split("\n")))
    for book in BOOKS:
        number = book.rsplit("_", 1)[1]
        yield f"books/{book.rsplit('_', 1)[0].lower()}", next(Checkout(checkouts / f"GITenberg+{book}").read(rf"{number}(-0|-8)?\.txt")).split("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("texts", type=Path)
    options = parser.parse_args()
    for name, lines in gather(options.checkouts):
        if not name.startswith("books/"):
            lines = [line for line in (re.sub(r"\s+", " ", line).strip() for line in lines) if line]
        path = options.texts / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name:40} {len(lines):8} lines {sum(len(line.split()) for line in lines):9} words", flush=True)


if __name__ == "__main__":
    main()
