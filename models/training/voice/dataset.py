"""The clips of all speakers in memory, and batches of crops of them."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from frames import HOP, PARAMETERS, PERIODIC


@dataclass
class Clip:
    key: str
    speaker: int
    tokens: np.ndarray
    durations: np.ndarray
    parameters: np.ndarray
    samples: np.ndarray

    @property
    def frames(self) -> int:
        return self.parameters.shape[1]


@dataclass
class Batch:
    tokens: torch.Tensor
    mask: torch.Tensor
    durations: torch.Tensor
    speaker: torch.Tensor
    parameters: torch.Tensor
    offset: torch.Tensor
    inside: torch.Tensor
    samples: torch.Tensor | None


def load_speaker(folder: Path, speaker: int) -> tuple[list[Clip], list[Clip]]:
    """Clips to train on and clips held out."""
    data = np.load(folder / "features.npz")
    held = set(json.loads((folder / "held_out.json").read_text()))
    train: list[Clip] = []
    test: list[Clip] = []
    for key in sorted({name.rsplit("/", 1)[0] for name in data.files}):
        parts = [data[f"{key}/{name}"] for name in ("tokens", "durations", "parameters", "samples")]
        clip = Clip(key, speaker, *parts)
        (test if key in held else train).append(clip)
    return train, test


def statistics(clips: list[Clip]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and spread of a speaker's parameters; pitch and periodicity over voiced frames only."""
    y = np.concatenate([clip.parameters for clip in clips], 1).astype("f4")
    voiced = y[:, y[1] > 0]
    mean, spread = y.mean(1), y.std(1) + 1e-3
    for part in (slice(0, 1), PERIODIC):
        mean[part], spread[part] = voiced[part].mean(1), voiced[part].std(1) + 1e-3
    mean[1], spread[1] = 0, 1
    return mean, spread


class Sampler:
    """Endless clips of one speaker, every one before any comes again."""

    def __init__(self, clips: list[Clip], draw: random.Random) -> None:
        self.clips, self.draw, self.left = clips, draw, []

    def take(self, count: int) -> list[Clip]:
        out = []
        while len(out) < count:
            if not self.left:
                self.left = self.draw.sample(range(len(self.clips)), len(self.clips))
            out.append(self.clips[self.left.pop()])
        return out


def collate(clips: list[Clip], crop: int | None, margin: int, draw: random.Random) -> Batch:
    """Whole clips (crop None), or `crop` frames of each with `margin` more on both sides, which only give context."""
    length = max(len(clip.tokens) for clip in clips)
    frames = max(clip.frames for clip in clips) if crop is None else crop + 2 * margin
    count = len(clips)
    tokens, mask, durations = torch.zeros(count, length, dtype=torch.long), torch.zeros(count, length), torch.zeros(count, length)
    parameters, inside, offset = torch.zeros(count, frames, PARAMETERS), torch.zeros(count, frames, 1), torch.zeros(count)
    samples = torch.zeros(count, (crop or frames) * HOP)
    for i, clip in enumerate(clips):
        n = len(clip.tokens)
        tokens[i, :n], mask[i, :n], durations[i, :n] = torch.tensor(clip.tokens), 1, torch.tensor(clip.durations).float()
        first = 0 if crop is None else draw.randint(-margin, max(-margin, clip.frames - crop - margin))
        offset[i] = first
        begin, end = max(first, 0), min(first + frames, clip.frames)
        parameters[i, begin - first : end - first] = torch.tensor(clip.parameters[:, begin:end].T.astype("f4"))
        inside[i, begin - first : end - first] = 1
        heard = first + (0 if crop is None else margin)
        begin, end = max(heard, 0) * HOP, min(heard + (crop or frames), clip.frames) * HOP
        samples[i, begin - heard * HOP : end - heard * HOP] = torch.tensor(clip.samples[begin:end].astype("f4") / 32768)
    speaker = torch.tensor([clip.speaker for clip in clips])
    return Batch(tokens, mask, durations, speaker, parameters, offset, inside, samples)
