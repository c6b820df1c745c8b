"""Speech of another synthesizer, which teaches a speaker of the voice: sound beside the phones of Parley's own front end.

Takes the folder that teacher.mjs filled, and its table of texts (id TAB 1 where it is held out TAB text). Needs a checkout in which `npx tsc -b` was
run. Writes WORK/SPEAKER as corpora.py does; then `align.py --human SPEAKER --flite` finds the phones' times, as in recordings.
"""

import argparse
import json
from pathlib import Path

from corpora import convert, make_folder
from prosody_corpora import phones_of, read_texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the model folder, for its lexicon")
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--spoken", type=Path, required=True)
    parser.add_argument("--speaker", required=True)
    parser.add_argument("--without-questions", action="store_true", help="leave out what asks for a yes or no, where the teacher lets it fall: the graph's rule raises it")
    options = parser.parse_args()
    rows = [line.rstrip("\n").split("\t") for line in options.texts.open(encoding="utf-8")]
    spoken = [row for row in rows if (options.spoken / f"{row[0]}.wav").exists()]
    folder = make_folder(options.work, options.speaker)
    read = read_texts([(key, text) for key, _, text in spoken], options.model)
    for key, _, _ in spoken:
        convert(options.spoken / f"{key}.wav", folder, key)
    table = [{"id": key, "text": text, "held_out": held == "1", "phones": phones_of(read[key]["symbols"])} for key, held, text in spoken]
    if options.without_questions:
        table = [row for row in table if all(phone[0] != "pau?" for phone in row["phones"])]
    (folder / "utterances.json").write_text(json.dumps(table))
    print(f"{options.speaker}: {len(table)} of {len(rows)} texts", flush=True)


if __name__ == "__main__":
    main()
