"""Prints the figures of the model card: `evaluate.py DATA MODEL`. Speakers and two kinds of noise that training has not heard."""

import json
import sys
from pathlib import Path

import numpy as np
import torch

import graph
import noises
import sounds
from mix import mix, telephone, timeline
from network import Features
from sounds import STEP

SECONDS, PIECES = 12, 24
RATIOS = [30, 20, 10, 5, 0, -5]


def pieces(rng, clips: list):
    """Clean timelines with about as much pause as speech, from the clips in turn."""
    for _ in range(PIECES):
        chosen = [clips[i] for i in rng.choice(len(clips), 8, replace=False)]
        yield timeline(rng, chosen, SECONDS * noises.RATE, silent=0.0, pause=2.5)


def scores(score: np.ndarray, truth: np.ndarray, threshold: float):
    """(area under the curve, F1, share of steps wrong, missed speech, false alarms) at a threshold."""
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.bincount(inverse, ranks) / counts)[inverse]
    on, off = truth.sum(), (~truth).sum()
    area = (ranks[truth].sum() - on * (on + 1) / 2) / (on * off)
    said = score >= threshold
    hit = (said & truth).sum()
    return area, 2 * hit / (said.sum() + on), (said != truth).mean(), 1 - hit / on, (said & ~truth).sum() / off


def energy_score(samples: np.ndarray) -> np.ndarray:
    """The baseline: level of a step over the 10th percentile of its file, smoothed over 90 ms."""
    levels = sounds.frame_levels_db(samples)
    return np.convolve(levels - np.percentile(levels, 10), np.ones(9) / 9, "same")


def webrtc_scores(samples: np.ndarray, mode: int) -> np.ndarray:
    import webrtcvad

    detector = webrtcvad.Vad(mode)
    steps = len(samples) // STEP
    return np.array([detector.is_speech(samples[i * STEP : (i + 1) * STEP].tobytes(), noises.RATE) for i in range(steps)], float)


class Judges:
    def __init__(self, model: Path):
        self.features, self.detector = Features(), graph.read(model)
        try:
            import webrtcvad  # noqa: F401

            self.webrtc = True
        except ImportError:
            self.webrtc = False

    def __call__(self, samples: np.ndarray) -> dict:
        with torch.no_grad():
            heard = self.features(torch.from_numpy(samples / np.float32(32768))[None].float())
            speech = torch.sigmoid(self.detector(heard))[0].numpy()
        result = {"parley-vad": speech, CUTTING: speech, "energy": energy_score(samples)}
        if self.webrtc:
            result |= {f"WebRTC VAD, mode {mode}": webrtc_scores(samples, mode) for mode in (0, 3)}
        return result


# What `transcription/segmentation/cut.ts` goes by: whatever may be speech is recognized.
CUTTING = "parley-vad from 0.25"
THRESHOLDS = {"parley-vad": 0.5, CUTTING: 0.25, "energy": 12.0, "WebRTC VAD, mode 0": 0.5, "WebRTC VAD, mode 3": 0.5}


def judged(judges: Judges, mixtures: list) -> dict:
    """Scores by judge over all steps of `mixtures` ((samples, speech, sure)) that lie at no border."""
    gathered, truth = {}, []
    for samples, speech, sure in mixtures:
        clear = sure == 1
        truth.append(speech[clear] > 0.5)
        for judge, score in judges(samples).items():
            gathered.setdefault(judge, []).append(score[: len(clear)][clear])
    together = np.concatenate(truth)
    return {judge: scores(np.concatenate(parts), together, THRESHOLDS[judge]) for judge, parts in gathered.items()}


def table(title: str, rows: dict) -> None:
    judges = [judge for judge in next(iter(rows.values())) if judge != CUTTING]
    print(f"\n{title}: area under the curve / F1 / steps wrong, %\n\n| | {' | '.join(judges)} |\n|---|{'---|' * len(judges)}")
    for name, results in rows.items():
        cells = [f"{area:.3f} / {f1:.3f} / {100 * wrong:.1f}" for area, f1, wrong, _, _ in (results[judge] for judge in judges)]
        print(f"| {name} | {' | '.join(cells)} |")


def to_int(samples: np.ndarray) -> np.ndarray:
    return np.clip(np.round(samples * 32768), -32768, 32767).astype(np.int16)


def main() -> None:
    data, model = Path(sys.argv[1]), Path(sys.argv[2])
    torch.set_num_threads(1)
    judges = Judges(model)
    # Other clips of LJSpeech's reader are in training.
    clips = [clip for clip in sounds.human(data, held_out=True) if clip.corpus != "ljspeech"]
    print(f"{len(clips)} clips of people outside training, {sum(len(clip.samples) for clip in clips) / noises.RATE / 60:.1f} min")
    rng = np.random.default_rng(99)
    clean = list(pieces(rng, clips))
    n = SECONDS * noises.RATE
    kinds = list(noises.EVALUATION.items())

    def noisy(snr: float, kind=None, level: float = -20):
        for i, (sound, speech, sure) in enumerate(clean):
            noise = noises.unit((kind or kinds[i % len(kinds)][1])(rng, n))
            yield to_int(mix(rng, sound, speech, noise, snr, level)), speech, sure

    by_ratio = {"no noise added": judged(judges, [(to_int(mix(rng, s, a, None, 0, -20)), a, b) for s, a, b in clean])}
    by_ratio |= {f"{snr} dB": judged(judges, list(noisy(snr))) for snr in RATIOS}
    table("By signal-to-noise ratio, seven kinds of noise", by_ratio)
    print("\nSpeech missed / other sound taken for speech, % of steps\n\n| | from 0.5 | from 0.25 |\n|---|---|---|")
    for name, results in by_ratio.items():
        print(f"| {name} |", " | ".join(f"{100 * miss:.1f} / {100 * alarm:.1f}" for *_, miss, alarm in (results["parley-vad"], results[CUTTING])), "|")
    table("By kind of noise, at 5 dB", {name: judged(judges, list(noisy(5, kind))) for name, kind in kinds})
    crowd = judged(judges, list(noisy(10, lambda r, count: noises.babble(r, count, clips))))
    phone = judged(judges, [(to_int(telephone(rng, x / np.float32(32768))), a, b) for x, a, b in noisy(15)])
    quiet = judged(judges, list(noisy(20, level=-50)))
    table("Other conditions", {"crowd of 7 to 14 voices, 10 dB": crowd, "telephone band, 15 dB": phone, "-50 dBFS, 20 dB": quiet})
    silent = [(name, np.mean([judges(to_int(noises.unit(kind(rng, n)) * 0.05))["parley-vad"] >= 0.5 for _ in range(10)])) for name, kind in kinds]
    print("\nNoise alone taken for speech, % of steps:", json.dumps({name: round(100 * float(share), 2) for name, share in silent}))


if __name__ == "__main__":
    main()
