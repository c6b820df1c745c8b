"""Holds encoder.onnx and decoder.onnx to what model.onnx gives: durations, length and spectrum; and several windows to the samples of one.

The samples of one window are not model.onnx's: integers round the pitch by some cents, and the pulses drift apart. So they do where rows are
in one call, which Parley does not do on a processor: what differs by a float's last digit may be rounded to another step. Exits with 1 where
something does not hold.
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime

from frames import HOP, NEUTRAL, RATE
from symbols import ids_of

MOST_DB = -50.0
ALL_FRAMES = 2**30
MOST_APART_DB = 1.0
QUIETEST_DB = -40.0
"""Of the frames that are compared."""
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

    def cases(self) -> list[dict[str, np.ndarray]]:
        found = []
        for text in TEXTS:
            ids = ids_of(text)
            controls = [*NEUTRAL[:3], 1.5, *np.linspace(-3, 3, len(ids)), *np.linspace(0.8, 1.3, len(ids))]
            for scales in (NEUTRAL[:3], [0.3, 1.4, 1.2, -2.0], controls):
                found += [{"input": np.array([ids]), "input_lengths": np.array([len(ids)]), "sid": np.array([speaker]), "scales": np.array(scales, np.float32)}
                          for speaker in range(4)]
        return found

    def whole_call(self) -> None:
        """One window against model.onnx."""
        same, apart = True, []
        for feeds in self.cases():
            expected = self.named(self.whole, feeds)
            samples, durations = self.windows(feeds, [])
            same &= np.array_equal(durations, expected["durations"]) and samples.shape == expected["output"].shape
            one, other = (bands_db(audio[0, 0]) for audio in (expected["output"], samples))
            heard = one.max(0) > QUIETEST_DB
            if heard.any():
                apart.append(float(np.abs(one - other)[:, heard].mean()))
        self.say("one window: the durations and lengths of the whole call", same)
        self.say(f"one window: bands of 40 mel filters are {np.mean(apart):.2f} dB from the whole call's, in the worst case {max(apart):.2f}",
                 max(apart) <= MOST_APART_DB)

    def compare(self, what: str, sizes: list[int]) -> None:
        """Several windows against one."""
        worst, same = -np.inf, True
        for feeds in self.cases():
            expected, durations = self.windows(feeds, [])
            samples, again = self.windows(feeds, sizes)
            same &= np.array_equal(durations, again) and samples.shape == expected.shape and np.array_equal(samples, self.windows(feeds, sizes)[0])
            error, power = ((samples - expected) ** 2).sum(), (expected**2).sum()
            worst = max(worst, 10 * np.log10(max(error, 1e-20) / max(power, 1e-10)))
        self.say(f"{what}: durations, lengths, and the same samples twice", same)
        self.say(f"{what}: the worst differs from one window by {worst:.0f} dB", worst <= MOST_DB)


def bands_db(samples: np.ndarray, size: int = 1024, step: int = 256) -> np.ndarray:
    """Power in 40 mel filters, [filters, frames]."""
    padded = np.pad(samples.astype("f8"), (0, size))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::step] * np.hanning(size)
    power = np.abs(np.fft.rfft(frames)) ** 2 / np.hanning(size).sum() ** 2
    edges = 700 * (10 ** (np.linspace(0, np.log10(1 + RATE / 2 / 700), 42)) - 1)
    hertz = np.arange(size // 2 + 1) * RATE / size
    filters = np.stack([np.maximum(0, np.minimum((hertz - a) / (b - a), (c - hertz) / (c - b))) for a, b, c in zip(edges, edges[1:], edges[2:])])
    return 10 * np.log10(filters @ power.T + 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    checks = Checks(parser.parse_args().model)
    checks.whole_call()
    for first in (1, 2, 5, 16, 40):
        checks.compare(f"{first} frames of {HOP} samples and the rest", [first])
    checks.compare("windows of 10 frames", [10] * 200)
    raise SystemExit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
