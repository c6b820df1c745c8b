"""The recordings of the human readers beside the phones and columns that Parley's own front end gives their texts.

The voice itself was trained on flite's phones; prosody is trained on what Parley sends. Needs the WORK folder of corpora.py and a
checkout in which `npx tsc -b` was run. Writes WORK/parley/SPEAKER/utterances.json, in corpora.py's form, and columns.json:
{id: {"symbols": [...], "rows": [...]}}; sound is linked. Then run `align.py --work WORK/parley --flite`.
"""

import argparse
import json
import subprocess
from pathlib import Path

from symbols import CONSONANTS, PAUSES, PRIMARY, SECONDARY, VOWELS, WORD

HERE = Path(__file__).parent
NAMES = {**CONSONANTS, **VOWELS, **PAUSES, WORD: "_"}


def read_texts(texts: list[tuple[str, str]], model: Path) -> dict[str, dict]:
    """Symbols and columns of (id, text) each, by Parley's front end with the lexicon and prosody.json of a model folder."""
    lines = "".join(f"{key}\t{text}\n" for key, text in texts)
    command = ["node", str(HERE / "front-end.mjs"), str(model)]
    given = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
    return {row["id"]: {"symbols": row["symbols"], "rows": row["rows"]} for row in map(json.loads, given.splitlines())}


def phones_of(symbols: list[str]) -> list[list]:
    """corpora.py's form of a text: [name, stress, end], with a pause before the first phone."""
    phones: list[list] = [["pau", "0", 0.0]]
    for before, symbol in zip(["", *symbols], symbols):
        if symbol not in (PRIMARY, SECONDARY):
            phones.append([NAMES[symbol], "1" if before == PRIMARY else "0", 0.0])
    return phones


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--speakers", nargs="+", default=["lj", "kathleen"])
    options = parser.parse_args()
    for speaker in options.speakers:
        source, folder = options.work / speaker, options.work / "parley" / speaker
        folder.mkdir(parents=True, exist_ok=True)
        for rate in ("16k", "22k"):
            if not (folder / rate).exists():
                (folder / rate).symlink_to((source / rate).resolve())
        table = json.loads((source / "utterances.json").read_text())
        columns = read_texts([(row["id"], row["text"]) for row in table], options.model)
        (folder / "columns.json").write_text(json.dumps(columns))
        own = [{**row, "phones": phones_of(columns[row["id"]]["symbols"])} for row in table]
        (folder / "utterances.json").write_text(json.dumps(own))
        print(f"{speaker}: {len(own)} texts", flush=True)


if __name__ == "__main__":
    main()
