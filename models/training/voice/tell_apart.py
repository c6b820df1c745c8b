"""A stand-in for a listener: how well a small classifier tells a reader's recordings from the voice by prosody alone.

Every held-out sentence is there twice, as recorded and as spoken. What is measured of each is in `traits`: nothing of timbre, and of loudness only its movement. A
logistic regression learns on four fifths of the sentences and judges the last fifth, both versions of a sentence always together, twenty times over.
Needs WORK/parley of prosody_corpora.py and the 22 kHz files that evaluate.py wrote (WORK/evaluation/SPEAKER and SPEAKER-prosody).
"""

import argparse
from pathlib import Path

import numpy as np
import scipy.io.wavfile

from analysis import track_pitch
from features import PITCH_RANGE_HZ
from frames import HOP, RATE

GROUPS = ("pitch", "energy", "duration")


def runs(flags: np.ndarray) -> np.ndarray:
    """First frame and frames of each run of true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return np.stack([edges[::2], edges[1::2] - edges[::2]], 1)


def shape(values: np.ndarray) -> list[float]:
    return [float(values.mean()), float(values.std()), *map(float, np.percentile(values, [10, 90]))] if len(values) else [0.0] * 4


def traits(samples: np.ndarray, speaker: str) -> dict[str, list[float]]:
    """Numbers that describe the pitch, the energy and the durations of one reading of a sentence."""
    f0, voiced = track_pitch(samples, *PITCH_RANGE_HZ[speaker])
    pitch = 12 * np.log2(f0)
    pitch = pitch - np.median(pitch[voiced])
    power = (samples[: len(f0) * HOP].reshape(-1, HOP) ** 2).mean(1)
    level = 10 * np.log10(np.convolve(power, np.ones(5) / 5, "same") + 1)
    level = level - np.percentile(level, 95)
    loud = np.flatnonzero(level > -35)
    inside = slice(loud[0], loud[-1] + 1)
    pitch, voiced, level = pitch[inside], voiced[inside], level[inside]
    parts = [(start, count) for start, count in runs(voiced) if count >= 5]
    means = np.array([pitch[s : s + n].mean() for s, n in parts])
    moves = np.array([np.ptp(pitch[s : s + n]) for s, n in parts])
    slopes = np.array([pitch[s + n - 3 : s + n].mean() - pitch[s : s + 3].mean() for s, n in parts])
    heard = np.flatnonzero(voiced)
    trend = float(np.polyfit(heard / len(voiced), pitch[heard], 1)[0])
    ends = [float(pitch[heard[:20]].mean()), float(pitch[heard[-20:]].mean()), float(pitch[heard[-10:]].mean() - pitch[heard[-40:-20]].mean())]
    silent = runs(level < -35)[:, 1]
    peaks = np.flatnonzero((level[2:-2] > level[1:-3]) & (level[2:-2] >= level[3:-1]) & (level[2:-2] > -20))
    return {
        "pitch": [float(pitch[voiced].std()), *map(float, np.percentile(pitch[voiced], [5, 25, 75, 95])), trend, *ends, *shape(means), *shape(np.diff(means)),
                  *shape(moves), *shape(slopes)],
        "energy": [*shape(level[voiced]), *shape(np.array([level[s : s + n].mean() for s, n in parts])), *shape(np.abs(np.diff(level[::6])))],
        "duration": [float(voiced.mean()), *shape(np.log([n for _, n in parts])), *shape(np.log(runs(~voiced)[:, 1] + 1)), float(silent[silent >= 12].sum() / len(level)),
                     float((silent >= 12).sum() * RATE / HOP / len(level)), float(len(peaks) * RATE / HOP / len(level)), *shape(np.diff(peaks))],
    }


def logistic(x: np.ndarray, y: np.ndarray, penalty: float = 3.0) -> np.ndarray:
    """Weights of a logistic regression by Newton's method; the last column of `x` is one and goes free."""
    weights, ridge = np.zeros(x.shape[1]), np.full(x.shape[1], penalty)
    ridge[-1] = 1e-3
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (p - y) + ridge * weights
        weights = weights - np.linalg.solve((x.T * (p * (1 - p))) @ x + np.diag(ridge), gradient)
    return weights


def judged(recorded: np.ndarray, spoken: np.ndarray, rounds: int = 20) -> np.ndarray:
    """How often each sentence's two versions were judged right, 0 to 1."""
    count, random = len(recorded), np.random.RandomState(2)
    right, asked = np.zeros(count), np.zeros(count)
    for _ in range(rounds):
        for part in np.array_split(random.permutation(count), 5):
            rest = np.setdiff1d(np.arange(count), part)
            x = np.concatenate([recorded[rest], spoken[rest]])
            mean, spread = x.mean(0), x.std(0) + 1e-6
            ready = lambda rows: np.hstack([np.clip((rows - mean) / spread, -4, 4), np.ones((len(rows), 1))])
            weights = logistic(ready(x), np.repeat([1.0, 0.0], len(rest)))
            right[part] += ((ready(recorded[part]) @ weights > 0).astype(float) + (ready(spoken[part]) @ weights <= 0)) / 2
            asked[part] += 1
    return right / asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="the folder with SPEAKER and evaluation: WORK/parley")
    parser.add_argument("--speakers", nargs="+", default=["lj"])
    options = parser.parse_args()
    print("| speaker | judged by | sentences | without, % right | with prosody, % right | change, 95 % |\n|---|---|---|---|---|---|")
    for speaker in options.speakers:
        keys = sorted(path.name.removesuffix("_22.wav") for path in (options.work / "evaluation" / f"{speaker}-prosody").glob("*_22.wav"))
        read = lambda folder, name: scipy.io.wavfile.read(folder / name)[1].astype("f8")
        found = {
            "recorded": [traits(read(options.work / speaker / "22k", f"{key}.wav"), speaker) for key in keys],
            "without": [traits(read(options.work / "evaluation" / speaker, f"{key}_22.wav"), speaker) for key in keys],
            "with": [traits(read(options.work / "evaluation" / f"{speaker}-prosody", f"{key}_22.wav"), speaker) for key in keys],
        }
        for groups in (GROUPS, *[(group,) for group in GROUPS]):
            table = {name: np.array([sum((one[group] for group in groups), []) for one in rows]) for name, rows in found.items()}
            without, steered = judged(table["recorded"], table["without"]), judged(table["recorded"], table["with"])
            random = np.random.RandomState(3)
            draws = [random.randint(0, len(keys), len(keys)) for _ in range(2000)]
            low, high = np.percentile([100 * (steered[d] - without[d]).mean() for d in draws], [2.5, 97.5])
            print(f"| {speaker} | {', '.join(groups)} | {len(keys)} | {100 * without.mean():.1f} | {100 * steered.mean():.1f} | {low:+.1f} .. {high:+.1f} |", flush=True)


if __name__ == "__main__":
    main()
