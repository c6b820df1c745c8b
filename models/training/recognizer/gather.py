"""Text of spoken and everyday English out of the repositories of SOURCES, TATOEBA, COMMON_VOICE, BOOKS and CLASSICS: one utterance a line,
`TEXTS/KIND/SOURCE.txt`.

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

import corpus
import spoken

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

CLASSICS = [" ".join(name.split()) for name in """Agatha Christie/Poirot Investigates; Agatha Christie/The Man in the Brown Suit;
Agatha Christie/The Murder on the Links; Aldous Huxley/Antic Hay; Aldous Huxley/Crome Yellow;
Algernon Blackwood/John Silence: Physician Extraordinary; Anna Katharine Green/The Leavenworth Case; Anna Sewell/Black Beauty;
Anthony Hope/Rupert of Hentzau; Anthony Hope/The Prisoner of Zenda; Anthony Trollope/Doctor Thorne; Anthony Trollope/The Warden;
Arthur Conan Doyle/A Study in Scarlet; Arthur Conan Doyle/The Hound of the Baskervilles; Arthur Conan Doyle/The Lost World;
Arthur Conan Doyle/The Sign of the Four; Arthur Conan Doyle/The Valley of Fear; B.M. Bower/Cabin Fever; Booker T. Washington/Up from Slavery;
Bram Stoker/Dracula; Catherine Carswell/Open the Door!; Charles Dickens/A Tale of Two Cities; Charles Dickens/Hard Times;
Charles W. Chesnutt/The House Behind the Cedars; Charlotte Perkins Gilman/Herland; Christopher Morley/Parnassus on Wheels;
Christopher Morley/The Haunted Bookshop; E.F. Benson/Queen Lucia; E.M. Forster/A Passage to India; Edgar Rice Burroughs/A Princess of Mars;
Edgar Rice Burroughs/At the Earth's Core; Edgar Rice Burroughs/Tarzan of the Apes; Edgar Rice Burroughs/The Land That Time Forgot;
Edgar Wallace/The Clue of the Twisted Candle; Edith Nesbit/Five Children and It; Edith Wharton/A Son at the Front; Edith Wharton/Ethan Frome;
Edith Wharton/Summer; Edith Wharton/The House of Mirth; Edith Wharton/The Reef; Edward Bellamy/Looking Backward; Edward E. Smith/The Skylark of Space;
Elizabeth Gaskell/Cranford; Ella Cheever Thayer/Wired Love; Emma Orczy/The Scarlet Pimpernel; Ernest Shackleton/South!;
Erskine Childers/The Riddle of the Sands; F. Scott Fitzgerald/Tales of the Jazz Age; Frank Norris/The Pit; G.K. Chesterton/The Club of Queer Trades;
G.K. Chesterton/The Innocence of Father Brown; G.K. Chesterton/The Man Who Was Thursday; G.K. Chesterton/The Wisdom of Father Brown;
George Eliot/Silas Marner; Georgette Heyer/The Black Moth; Grace Livingston Hill/The Enchanted Barn; Grace Livingston Hill/The Girl from Montana;
H. Rider Haggard/King Solomon's Mines; H.G. Wells/Tales of Space and Time; H.G. Wells/The First Men in the Moon; H.G. Wells/The History of Mr Polly;
H.G. Wells/The Invisible Man; H.G. Wells/The Time Machine; Henry De Vere Stacpoole/The Blue Lagoon; Hugh Lofting/The Story of Doctor Dolittle;
J. M. Barrie/Peter Pan; J. Meade Falkner/Moonfleet; J.S. Fletcher/Scarhaven Keep; Jack London/The Call of the Wild; Jack London/The Iron Heel;
Jack London/The Scarlet Plague; Jack London/The Sea Wolf; Jack London/White Fang; James Joyce/Dubliners; James Stephens/The Crock of Gold;
John Buchan/Greenmantle; John Buchan/Mr Standfast; John Buchan/Prester John; John Dos Passos/Three Soldiers; Johnston McCulley/The Mark of Zorro;
Joseph Conrad/Heart of Darkness; Joseph Conrad/Lord Jim; Joseph Conrad/Typhoon; Joseph Conrad/Victory; Kate Chopin/The Awakening;
Louisa May Alcott/Little Men; Lucy Maud Montgomery/Anne of Avonlea; Lucy Maud Montgomery/Anne of the Island;
Lucy Maud Montgomery/Anne's House of Dreams; Lucy Maud Montgomery/Christmas Stories; Lucy Maud Montgomery/Emily of New Moon;
Lucy Maud Montgomery/Rainbow Valley; Lucy Maud Montgomery/Rilla of Ingleside; Marie Belloc Lowndes/The Lodger;
Mark Twain/A Connecticut Yankee in King Arthur's Court; Mark Twain/The Prince and the Pauper; Mary E. Wilkins Freeman/The Wind in the Rosebush;
Mary Johnston/To Have and to Hold; Max Brand/Gunman's Reckoning; Oscar Wilde/An Ideal Husband; Oscar Wilde/The Importance of Being Earnest;
Oscar Wilde/The Picture of Dorian Gray; Owen Wister/The Virginian; P.G. Wodehouse/A Damsel in Distress; P.G. Wodehouse/The Inimitable Jeeves;
Philip Francis Nowlan/Armageddon 2419 AD; Rafael Sabatini/Captain Blood; Robert Louis Stevenson/Kidnapped;
Robert Louis Stevenson/The Strange Case of Dr. Jekyll and Mr. Hyde; Robert Louis Stevenson/Treasure Island; Rudyard Kipling/Captains Courageous;
Rudyard Kipling/Kim; Rudyard Kipling/The Jungle Book; Sherwood Anderson/Winesburg, Ohio; Stephen Crane/The Red Badge of Courage;
Upton Sinclair/The Jungle; Virginia Woolf/Jacob's Room; Virginia Woolf/The Voyage Out; W.H. Hudson/Green Mansions; Wilkie Collins/The Moonstone;
Willa Cather/A Lost Lady; Willa Cather/One of Ours; Willa Cather/The Song of the Lark; Zane Grey/Riders of the Purple Sage;
Zane Grey/The Mysterious Rider""".split(";")]
"""Books of mlschmitt/classic-books-markdown (ours at commit 9448827; "all titles from the public domain"), as `AUTHOR/TITLE`: English originals
that it dates 1851 to 1928, prose but for two plays, none that LibriSpeech's development and test people read."""

COMMON_VOICE = {
    "JatinGola8040+Gender-Detection-Speech-Analysis": r"cv-(invalid|(other|valid)-(dev|test))\.csv",  # d74473c: the first release
    "aacode7+SIH-2024": r"invalidated\.tsv",  # a5deff9
    "kiranprasad7+Trustworthy-AI-Midterm-Project": r"(in)?validated\.tsv",  # e3b2d5c: 20.0 delta
    "korliu+whisper": r"dataset/((gender_|in)?validated|reported|testing_data)\.tsv",  # d03c145: 13.0 delta
    "manzhusahua+common_voice_16_0": r"transcript/en/(dev|test)\.tsv",  # 5b41cdb: 16.0
    "omnilingo+rsample-100-cv-corpus-6.1-2020-12-11": r"en/validated\.tsv",  # 6785f86: 6.1
    "puri-gagan+speechdataset": r"validated\.tsv",  # 4b7ec8a: an early release
    "shubhra-cv+18": r".*/en/validated\.tsv",  # 4ca775a: 18.0 delta
    "shubhra-cv+19": r".*/en/validated\.tsv",  # 497ac20: 19.0 delta
    "tchuido+projet_de_janvier": r"validated\.tsv",  # eb2ea99
    "vinayak5002+transducer": r"Data/(test|train|validated|validated_top10|validated_top10_cleaned)\.[ct]sv",  # fa25154
}
"""Tables of clips of Common Voice (CC0), by repository: the pattern of their paths, the commit of ours and the release where it is told."""

UNFIT = ("offensive-language", "offensive-speech", "different-language")
"""Why readers reported a sentence, where that keeps it out."""


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


def common_voice(checkouts: Path, sources: Path) -> Iterator[str]:
    """The sentences of the tables, and the teacher's transcripts that believe.py kept."""
    for repository, pattern in COMMON_VOICE.items():
        for text in Checkout(checkouts / repository).read(pattern):
            form = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if "\t" in text.split("\n", 1)[0] else {}
            for row in csv.DictReader(io.StringIO(text), **form):
                if row.get("locale") in (None, "", "en") and row.get("reason") not in UNFIT:
                    yield row.get("sentence") or row.get("text") or ""
    for path in sorted((sources / "taught").glob("*/believed.tsv")):
        yield from (line.split("\t")[2] for line in path.read_text(encoding="utf-8").split("\n") if line.count("\t") >= 2)


def new_sentences(lines: Iterable[str], known: Iterable[str]) -> list[str]:
    """Lines of more than one word that differ in their words from each other and from the known ones."""

    def said(line: str) -> str:
        return " ".join(corpus.words(spoken.say(corpus.tidy(line))))

    left_out = {said(line) for line in known}
    return [line for words, line in {said(line): line for line in lines}.items() if " " in words and words not in left_out]


def classic(text: str) -> list[str]:
    """The lines of a book without headings, rules, pictures and other marks of Markdown."""
    lines = [line for line in text.replace("\r", "").split("\n") if not re.match(r"\s*(#|-{4,}|\*\s*\*|!\[)", line)]
    return re.sub(r"[\ufeff\u2060\u00ad]|\[\^?\d+\]|<[^>]+>", "", "\n".join(lines)).split("\n")


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


def gather(checkouts: Path, sources: Path, texts: Path) -> Iterator[tuple[str, list[str]]]:
    """Every file of TEXTS but those that have to be there before: its name and lines."""
    yield "tables/common-voice", new_sentences(common_voice(checkouts, sources), corpus.common_voice(texts / "cv"))
    for name, (repository, read) in SOURCES.items():
        yield name, list(read(Checkout(checkouts / repository)))
    for language, (repository, path) in TATOEBA.items():
        text = next(Checkout(checkouts / repository).read(re.escape(path)))
        yield f"tatoeba/{language}", list(dict.fromkeys(line.split("\t")[0] for line in text.split("\n")))
    for book in BOOKS:
        number = book.rsplit("_", 1)[1]
        yield f"books/{book.rsplit('_', 1)[0].lower()}", next(Checkout(checkouts / f"GITenberg+{book}").read(rf"{number}(-0|-8)?\.txt")).split("\n")
    classics = Checkout(checkouts / "mlschmitt+classic-books-markdown")
    for book in CLASSICS:
        text = next(classics.read(rf"{re.escape(book)} ?\.md"))
        yield f"books/{re.sub('[^a-z0-9]+', '-', book.split('/')[1].lower()).strip('-')}", classic(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="the folder with taught/")
    parser.add_argument("texts", type=Path)
    options = parser.parse_args()
    for name, lines in gather(options.checkouts, options.sources, options.texts):
        if not name.startswith("books/"):
            lines = [line for line in (re.sub(r"\s+", " ", line).strip() for line in lines) if line]
        path = options.texts / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name:40} {len(lines):8} lines {sum(len(line.split()) for line in lines):9} words", flush=True)


if __name__ == "__main__":
    main()
