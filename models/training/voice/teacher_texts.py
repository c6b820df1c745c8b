"""What a teacher reads: lines of LJSpeech (public domain), everyday sentences of sentences.py, and sentences of Common Voice (CC0).

Prints id TAB 1 where it is held out TAB text: the 60 lines that the distilled speakers are judged on first, then `--count` others, in a mixed order,
of which every fortieth is held out.
"""

import argparse
import csv
import random
import re
from pathlib import Path

from sentences import everyday, read_lines, unseen_texts, usable

SHARES = {"book": 0.28, "everyday": 0.35}
"""The rest is Common Voice's."""
ACRONYM = re.compile(r"[A-Z]{2}")


def common_voice(folder: Path) -> list[str]:
    """Sentences of every `validated.tsv` below the folder that need no spelling out, with a mark at their end."""
    found = set()
    for table in folder.glob("**/validated.tsv"):
        for row in csv.DictReader(table.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
            text = (row.get("sentence") or "").strip().strip('"')
            if usable(text) and not ACRONYM.search(text):
                found.add(text if text[-1] in ".?!" else f"{text}.")
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ljspeech", type=Path, required=True, help="folder with all-text.csv and metadata.csv")
    parser.add_argument("--common-voice", type=Path, required=True, help="a folder with tables of Common Voice, such as SOURCES of ../recognizer")
    parser.add_argument("--count", type=int, default=3500)
    options = parser.parse_args()
    draw = random.Random("teacher")
    lines = read_lines(options.ljspeech / "all-text.csv")
    recorded = {key for key, _ in read_lines(options.ljspeech / "metadata.csv")}
    book = [text for key, text in lines if not key.endswith("0") and usable(text)]
    counts = {name: int(options.count * share) for name, share in SHARES.items()}
    texts = draw.sample(book, counts["book"]) + everyday(counts["everyday"], draw)
    texts += draw.sample(common_voice(options.common_voice), options.count - len(texts))
    draw.shuffle(texts)
    for i, (_, text) in enumerate(unseen_texts(lines, recorded, 60)):
        print(f"u{i:02d}", 1, text, sep="\t")
    for i, text in enumerate(texts):
        print(f"t{i:04d}", int(i % 40 == 39), text, sep="\t")


if __name__ == "__main__":
    main()
