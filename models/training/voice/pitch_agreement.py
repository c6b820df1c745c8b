"""How much the pitch of two readings of one sentence has in common: of two people, or of a person and the voice.

With one pool of ../recognizer: the first two recordings of each sentence of at least six words (a sentence that one person reads twice is
counted, where the pool does not tell people apart). With two: recordings of the same sentence, one from each. Pitch is compared in semitones from the
reading's median, in frames that surely are voiced in both, along the cheapest time alignment; frames further than nine semitones
from a median are taken for errors of the tracker.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.signal

from analysis import track_pitch
from evaluate import SURELY_VOICED, cepstra, warp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recognizer"))
import pools

LOWEST_HZ, HIGHEST_HZ = 60, 420
FEWEST_WORDS, FEWEST_FRAMES, FURTHEST_SEMITONES = 6, 60, 9


def by_sentence(path: Path) -> dict[str, list[np.ndarray]]:
    """Samples of each sentence of at least six words, at 22.05 kHz."""
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for item in pools.read(path):
        if len(item.text.split()) >= FEWEST_WORDS:
            found[item.text].append(item.audio)
    return found


def aligned(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Semitones from the median, of both readings, in frames that are voiced in both."""
    a, b = (scipy.signal.resample_poly(samples.astype("f8"), 441, 320) for samples in (one, other))
    (f, v), (g, w) = (track_pitch(samples, LOWEST_HZ, HIGHEST_HZ, SURELY_VOICED) for samples in (a, b))
    i, j = warp(cepstra(a / 32768)[0][::2], cepstra(b / 32768)[0][::2])
    i, j = np.minimum(2 * i, len(f) - 1), np.minimum(2 * j, len(g) - 1)
    both = v[i] & w[j]
    x, y = (12 * np.log2(hz[both]) for hz in (f[i], g[j]))
    if not len(x):
        return x, y
    x, y = x - np.median(x), y - np.median(y)
    near = (np.abs(x) < FURTHEST_SEMITONES) & (np.abs(y) < FURTHEST_SEMITONES)
    return x[near], y[near]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pools", type=Path, nargs="+", help="one pool, or two, without ending")
    options = parser.parse_args()
    first = by_sentence(options.pools[0])
    if len(options.pools) > 1:
        second = by_sentence(options.pools[1])
        pairs = [(first[text][0], second[text][0]) for text in sorted(first) if text in second]
    else:
        pairs = [tuple(readings[:2]) for _, readings in sorted(first.items()) if len(readings) > 1]
    compared = [pair for pair in (aligned(*pair) for pair in pairs) if len(pair[0]) >= FEWEST_FRAMES]
    x, y = (np.concatenate(side) for side in zip(*compared, strict=True))
    of_each = [np.corrcoef(*pair)[0, 1] for pair in compared]
    draws = np.random.default_rng(1).integers(0, len(compared), (1000, len(compared)))
    resampled = [np.corrcoef(*(np.concatenate([compared[k][side] for k in chosen]) for side in (0, 1)))[0, 1] for chosen in draws]
    low, high = np.percentile(resampled, [2.5, 97.5])
    print(f"{len(compared)} sentences: correlation {np.corrcoef(x, y)[0, 1]:.2f} ({low:.2f} to {high:.2f}), median of a sentence {np.median(of_each):.2f}, sd {x.std():.1f} and {y.std():.1f} semitones")


if __name__ == "__main__":
    main()
