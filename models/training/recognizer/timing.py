"""How late the words of the recognizer start and end, against the times that flite gives for the phones it speaks."""

import argparse
import difflib
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import corpus
import packed
from decoder import Decoder
from evaluate import Recognizer
from network import FRAME_SAMPLES

FRAME_MS = FRAME_SAMPLES / 16


def true_times(phones: str) -> list[tuple[float, float]]:
    """Start and end of each word in ms, from flite's "phone:end" with "_" between words."""
    found: list[tuple[float, float]] = []
    start = last = 0.0
    open_word = False
    for token in phones.split():
        name, _, end = token.partition(":")
        if name in ("_", "pau"):
            if open_word:
                found.append((start, last))
            open_word = False
        elif not open_word:
            start, open_word = last, True
        last = float(end) * 1000 if end else last
    return [*found, (start, last)] if open_word else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--voice", default="awb")
    parser.add_argument("--first", type=int, default=24, help="how many of the evaluation sentences")
    options = parser.parse_args()
    recognizer = Recognizer.load(options.model, {})
    decoder = Decoder(packed.read(recognizer.words), recognizer.settings)
    texts = (corpus.HERE / "evaluation-sentences.txt").read_text().split("\n")[: options.first]
    lines = "".join(f"1\t0\t{text}\n" for text in texts)
    with tempfile.NamedTemporaryFile(suffix=".pcm") as file:
        command = [options.front_end, "times", options.voice, file.name]
        table = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
        samples = np.fromfile(file.name, "<i2").astype("f4") / 32768
    starts, ends = [], []
    for line in table.rstrip("\n").split("\n"):
        offset, count, phones, text = line.split("\t")
        spoken, times = corpus.words(text), true_times(phones)
        if len(spoken) != len(times):
            continue
        heard = decoder(recognizer.log_probs(samples[int(offset) : int(offset) + int(count)]))
        matching = difflib.SequenceMatcher(None, spoken, [found.word for found in heard], autojunk=False).get_matching_blocks()
        for a, b, size in matching:
            for i in range(size):
                starts.append(heard[b + i].start * FRAME_MS - times[a + i][0])
                ends.append((heard[b + i].end + 1) * FRAME_MS - times[a + i][1])
    for name, late in (("start", np.array(starts)), ("end", np.array(ends))):
        middle = np.median(late)
        off = np.abs(late - middle)
        print(
            f"{name}: {len(late)} words, {middle:+.0f} ms late; that taken away, median {np.median(off):.0f} ms, 90 % within "
            f"{np.percentile(off, 90):.0f} ms, within 80 ms {100 * (off <= 80).mean():.0f} %"
        )


if __name__ == "__main__":
    main()
