"""Holds the graph to its contract and prints what it found: lengths, silence, batches, pads, controls, questions, unusual input.

Exits with 1 where something does not hold. Needs the WORK folder of corpora.py for sentences to speak.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnxruntime

from analysis import track_pitch
from evaluate import sentences
from features import PITCH_RANGE_HZ
from frames import HOP, NEUTRAL, RATE
from symbols import PAD, SYMBOLS, ids_of

LEAST_DB = 40.0


class Checks:
    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.speakers = json.loads((folder / "model.onnx.json").read_text(encoding="utf-8"))["speaker_id_map"]
        self.failed = False

    def run(self, rows: list[list[int]], speakers: list[int], scales: list[float] | None = None) -> tuple[np.ndarray, np.ndarray]:
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
        feeds = {"input": ids, "input_lengths": np.array([len(row) for row in rows]), "sid": np.array(speakers),
                 "scales": np.array(scales or NEUTRAL[:3], np.float32)}
        output, durations = self.session.run(None, feeds)
        return output[:, 0], durations

    def say(self, what: str, holds: bool) -> None:
        self.failed |= not holds
        print(("ok    " if holds else "FAILS ") + what, flush=True)

    def batches(self, rows: list[list[int]], size: int) -> None:
        """Rows together against each row alone."""
        worst, wrong, tails, exact = np.inf, 0, 0.0, True
        for first in range(0, len(rows), size):
            part = rows[first : first + size]
            speakers = [i % len(self.speakers) for i in range(len(part))]
            together, durations = self.run(part, speakers)
            for i, row in enumerate(part):
                alone, own = self.run([row], [speakers[i]])
                exact &= alone.shape[1] == own.sum() * HOP
                if not np.array_equal(own[0], durations[i, : len(row)]) or durations[i, len(row) :].any():
                    wrong += 1
                    continue
                length = alone.shape[1]
                error = ((alone[0] - together[i, :length]) ** 2).sum()
                worst = min(worst, 10 * np.log10((alone[0] ** 2).sum() / max(error, 1e-20)))
                tails = max(tails, np.abs(together[i, length:]).max(initial=0))
        self.say("samples are 176 per frame of the durations", exact)
        self.say(f"{len(rows)} sentences, {size} in a call: {wrong} have other durations than alone", wrong == 0)
        self.say(f"the worst of them differs from itself alone by -{worst:.0f} dB", worst >= LEAST_DB)
        self.say(f"loudest sample beyond a row's end: {tails}", tails == 0)

    def repeats(self, rows: list[list[int]]) -> None:
        digest = lambda: hashlib.sha256(b"".join(self.run([row], [0])[0].tobytes() for row in rows)).hexdigest()
        first = digest()
        self.say(f"the same samples twice (sha256 of {len(rows)} sentences {first[:16]})", first == digest())

    def pads(self, row: list[int]) -> None:
        pad = SYMBOLS.index(PAD)
        with_pads, durations = self.run([row], [0])
        without, _ = self.run([[symbol for symbol in row if symbol != pad]], [0])
        self.say("pads change nothing", np.array_equal(with_pads, without))
        silent = {SYMBOLS.index(symbol) for symbol in (PAD, " ", "ˈ", "ˌ")}
        self.say("pads, marks and spaces last no time", all(frames == 0 for symbol, frames in zip(row, durations[0]) if symbol in silent))

    def median_hz(self, samples: np.ndarray, speaker: str) -> float:
        low, high = PITCH_RANGE_HZ[speaker]
        hz, voiced = track_pitch(samples * 32767, low * 0.7, high * 1.4)
        return float(np.median(hz[voiced]))

    def controls(self, row: list[int]) -> None:
        plain, durations = self.run([row], [0])
        ratio = self.run([row], [0], [*NEUTRAL[:3], 4.0])[0]
        moved = 12 * np.log2(self.median_hz(ratio[0], "lj") / self.median_hz(plain[0], "lj"))
        self.say(f"a mean pitch of +4 semitones moves the median by {moved:+.1f}", abs(moved - 4) < 0.5)
        cells = len(row)
        offsets = self.run([row], [0], [*NEUTRAL[:3], 0.0, *[3.0] * cells, *[1.0] * cells])[0]
        moved = 12 * np.log2(self.median_hz(offsets[0], "lj") / self.median_hz(plain[0], "lj"))
        self.say(f"+3 semitones on every id moves it by {moved:+.1f}", abs(moved - 3) < 0.5)
        longer = self.run([row], [0], [*NEUTRAL[:3], 0.0, *[0.0] * cells, *[2.0] * cells])[1].sum() / durations.sum()
        self.say(f"twice the length of every id: {longer:.2f} times", abs(longer - 2) < 0.1)
        slower = self.run([row], [0], [NEUTRAL[0], 1.3, NEUTRAL[2]])[1].sum() / durations.sum()
        self.say(f"length scale 1.3: {slower:.2f} times", abs(slower - 1.3) < 0.06)

    def ending_hz(self, text: str, speaker: str) -> float:
        """Median F0 of the last eight voiced frames (64 ms) before the final pause."""
        ids = ids_of(text)
        samples, durations = self.run([ids], [self.speakers[speaker]])
        end = int(durations[0, : ids.index(SYMBOLS.index(text[-1]))].sum())
        low, high = PITCH_RANGE_HZ[speaker]
        hz, voiced = track_pitch(samples[0] * 32767, low, high * 1.6)
        return float(np.median(hz[:end][voiced[:end]][-8:]))

    def questions(self) -> None:
        """The pitch at the end of a question against the same words as a statement."""
        texts = ["ɑɹ ju kˈʌmɪŋ tədˈᴀ", "ɪz ɪt ɹˈɛdi", "kæn ju kˈɔl mi ɪn ðə mˈɔɹnɪŋ", "dɪd ʃi ɹˈᴉt ðə lˈɛtɝ"]
        for name in self.speakers:
            rises = [12 * np.log2(self.ending_hz(f"{text}?", name) / self.ending_hz(f"{text}.", name)) for text in texts]
            self.say(f"{name}: questions end {np.mean(rises):+.1f} semitones from where the statement ends", np.mean(rises) > 2)

    def oddities(self, row: list[int]) -> None:
        cases = {"no symbols but ^ and $": ids_of(""), "one id": [0], "unknown ids": [1, 999, -5, 2], "pauses only": ids_of("..,?"),
                 "900 ids": ids_of("həlˈᴏ wˈɝld, " * 36)}
        for what, ids in cases.items():
            samples, durations = self.run([ids], [0])
            peak = float(np.abs(samples).max())
            self.say(f"{what}: {samples.shape[1] / RATE:.2f} s, peak {peak:.2f}", bool(np.isfinite(samples).all()) and peak < 1)
        for scales in ([0.0, 1.0, 0.8], [0.667, 0.5, 0.0], [1.0, 3.0, 2.0]):
            samples, _ = self.run([row], [1], scales)
            self.say(f"scales {scales}: peak {np.abs(samples).max():.2f}", bool(np.isfinite(samples).all()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60, help="sentences for the batches")
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()
    checks = Checks(options.model)
    rows = [ids_of(sentence.symbols) for sentence in sentences(options.work, "slt")[: options.count]]
    checks.batches(rows, options.batch)
    checks.repeats(rows[:5])
    checks.pads(rows[0])
    checks.controls(rows[0])
    checks.questions()
    checks.oddities(rows[1])
    raise SystemExit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
