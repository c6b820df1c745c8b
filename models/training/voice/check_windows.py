"""Holds encoder.onnx and decoder.onnx to what model.onnx gives: durations, length and samples, in one window and in several.

Exits with 1 where something does not hold.
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime

from frames import HOP, NEUTRAL
from symbols import ids_of

MOST_DB = -60.0
ALL_FRAMES = 2**30
TEXTS = ["jˈɛs.", "ɪz ɪt ɹˈɛdi?", "kæn ju kˈɔl mi ɪn ðə mˈɔɹnɪŋ, ɝ æt nˈun? ðə lˈɛtɝ ɪz ɹˈɛdi.", "həlˈᴏ wˈɝld, " * 12, "..,?", ""]


class Checks:
    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.whole, self.encoder, self.decoder = (
            onnxruntime.InferenceSession(str(folder / f"{name}.onnx"), options, providers=["CPUExecutionProvider"])
            for name in ("model", "encoder", "decoder"))
        self.failed = False

    def say(self, what: str, holds: bool) -> None:
        self.failed |= not holds
        print(("ok    " if holds else "FAILS ") + what, flush=True)

    def named(self, session: onnxruntime.InferenceSession, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds)))

    def windows(self, feeds: dict[str, np.ndarray], sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Samples and durations; what the sizes leave is one more window."""
        encoded = self.named(self.encoder, feeds)
        durations = encoded.pop("durations")
        turns, first, parts = np.zeros((len(durations), 1), np.float32), 0, []
        for count in [*sizes, ALL_FRAMES]:
            if first >= durations.sum(1).max():
                break
            part = self.named(self.decoder, {**encoded, "window": np.array([first, count]), "turns": turns})
            parts.append(part["output"])
            first, turns = first + count, part["next_turns"]
        return np.concatenate(parts, 2), durations

    def compare(self, what: str, sizes: list[int], most_db: float = MOST_DB) -> None:
        worst, same = -np.inf, True
        for text in TEXTS:
            ids = ids_of(text)
            controls = [*NEUTRAL[:3], 1.5, *np.linspace(-3, 3, len(ids)), *np.linspace(0.8, 1.3, len(ids))]
            for scales in (NEUTRAL[:3], [0.3, 1.4, 1.2, -2.0], controls):
                for speaker in range(4):
                    feeds = {"input": np.array([ids]), "input_lengths": np.array([len(ids)]), "sid": np.array([speaker]),
                             "scales": np.array(scales, np.float32)}
                    expected = self.named(self.whole, feeds)
                    samples, durations = self.windows(feeds, sizes)
                    same &= np.array_equal(durations, expected["durations"]) and samples.shape == expected["output"].shape
                    same &= np.array_equal(samples, self.windows(feeds, sizes)[0])
                    if samples.shape == expected["output"].shape:
                        error, power = ((samples - expected["output"]) ** 2).sum(), (expected["output"] ** 2).sum()
                        worst = max(worst, 10 * np.log10(max(error, 1e-20) / max(power, 1e-10)))
        self.say(f"{what}: durations, lengths, and the same samples twice", same)
        self.say(f"{what}: the worst differs from the whole call by {worst:.0f} dB", worst <= most_db)

    def rows(self) -> None:
        """Two rows in one window."""
        rows = [ids_of(TEXTS[1]), ids_of(TEXTS[2])]
        ids = np.zeros((2, max(map(len, rows))), np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
        feeds = {"input": ids, "input_lengths": np.array([len(row) for row in rows]), "sid": np.array([0, 3]), "scales": np.array(NEUTRAL[:3], np.float32)}
        samples, _ = self.windows(feeds, [])
        self.say("two rows in one window: the samples of the whole call", np.array_equal(samples, self.named(self.whole, feeds)["output"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    checks = Checks(parser.parse_args().model)
    checks.compare("one window", [])
    for first in (1, 2, 5, 16, 40):
        checks.compare(f"{first} frames of {HOP} samples and the rest", [first])
    checks.compare("windows of 10 frames", [10] * 200, most_db=-50.0)
    checks.rows()
    raise SystemExit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
