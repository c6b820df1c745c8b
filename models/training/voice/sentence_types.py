"""Whether the voice asks and lists as people do, on the 40 sentences of prosody-sentences.tsv, with and without its prosody graph.

Measured is the voiced end of a sentence: the mean pitch of its last 120 ms over the median of the sentence, and the slope from the 200 ms before.
For lists, the same at the ends of the items before the last. Needs a checkout in which `npx tsc -b` was run, and no WORK folder.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from analysis import track_pitch
from evaluate import Speaker
from features import PITCH_RANGE_HZ
from frames import HOP, RATE
from prosody_corpora import read_texts

SENTENCES = Path(__file__).with_name("prosody-sentences.tsv")
END, BEFORE = int(0.12 * RATE / HOP), int(0.2 * RATE / HOP)


def end_of(f0: np.ndarray, voiced: np.ndarray, until: int) -> tuple[float, float]:
    """Semitones over the median, and over the 200 ms before, of the last 120 ms of voice up to a frame."""
    semitones = 12 * np.log2(f0)
    heard = np.where(voiced[:until])[0]
    last, before = heard[-END:], heard[-END - BEFORE : -END]
    return float(semitones[last].mean() - np.median(semitones[voiced])), float(semitones[last].mean() - semitones[before].mean())


def measure(voice: Speaker, speaker: str, columns: dict[str, dict], with_prosody: bool) -> dict[str, list[tuple[float, float]]]:
    """(height, rise) of the ends of each type of sentence, in the order of the file."""
    found = defaultdict(list)
    for key, text in columns.items():
        symbols = "".join(text["symbols"])
        samples, durations = voice.speak_timed(symbols, speaker, text["rows"] if with_prosody else None)
        f0, voiced = track_pitch(samples * 32768.0, *PITCH_RANGE_HZ[speaker])
        kind = key.split(" ")[0]
        if kind == "list":
            ends = np.cumsum(durations)
            commas = [2 + 2 * i for i, symbol in enumerate(text["symbols"]) if symbol == ","]
            found[kind] += [end_of(f0, voiced, int(ends[at - 1])) for at in commas]
        else:
            found[kind].append(end_of(f0, voiced, len(f0)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    options = parser.parse_args()
    voice = Speaker(options.model)
    lines = [line.split("\t") for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    columns = read_texts([(f"{kind} {i}", text) for i, (kind, text) in enumerate(lines)], options.model)
    print("| speaker | yes-no questions that end higher than their statement | end over the median, semitones: statement / yes-no / wh / list item | rise at the end "
          "| wh-questions that fall | list items that do not end as low as statements |\n|---|---|---|---|---|---|")
    for speaker in voice.numbers:
        for with_prosody in (False, True) if voice.knows(speaker) else (False,):
            found = measure(voice, speaker, columns, with_prosody)
            heights = {kind: np.array(values)[:, 0] for kind, values in found.items()}
            rises = {kind: np.array(values)[:, 1] for kind, values in found.items()}
            order = ("statement", "yes-no", "wh", "list")
            higher = int((heights["yes-no"] > heights["statement"]).sum())
            cells = [f"{speaker}, with prosody" if with_prosody else speaker, f"{higher} of {len(heights['yes-no'])}",
                     " / ".join(f"{heights[kind].mean():+.1f}" for kind in order), " / ".join(f"{rises[kind].mean():+.1f}" for kind in order),
                     f"{int((rises['wh'] < 0).sum())} of {len(rises['wh'])}", f"{int((heights['list'] > heights['statement'].mean()).sum())} of {len(heights['list'])}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
