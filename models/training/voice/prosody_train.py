"""Trains the prosody network on the voice's two readers and the pool's together, each with an embedding of its own, by steps and not by the clock.

Needs WORK after prosody_data.py and prosody_readers.py, and torch 2. Writes WORK/parley/prosody.pt, the weights' running mean, and says as it goes how the
pitch of held-out clips of kathleen that evaluate.py does not use correlates with what is predicted, symbol by symbol.
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from prosody import SIZES, Prosody

READERS = ("lj", "kathleen")
SHARES = {"lj": 0.3, "kathleen": 0.25, "pool": 0.45}
EVALUATED = 60
"""Held-out clips of a reader that evaluate.py uses: the first ones."""
MOST_FRAMES = 20
"""A longer sound counts for no more than so many frames."""


@dataclass
class Clip:
    ids: np.ndarray
    rows: np.ndarray
    speaker: int
    pitch: np.ndarray
    weight: np.ndarray


def statistics(clips: list[dict[str, np.ndarray]]) -> tuple[float, float]:
    """Mean and spread of a reader's log F0."""
    heard = np.concatenate([clip["log_f0"][clip["voiced"]] for clip in clips])
    return float(heard.mean()), float(heard.std())


def load(path: Path) -> list[dict[str, np.ndarray]]:
    data = np.load(path)
    found: dict[str, dict[str, np.ndarray]] = {}
    for name in data.files:
        key, part = name.rsplit("/", 1)
        found.setdefault(key, {})[part] = data[name]
    return [found[key] for key in sorted(found)]


def targets(clip: dict[str, np.ndarray], speaker: int, mean: float, spread: float) -> Clip:
    """Mean pitch of each symbol over its voiced frames, in standard deviations of the reader."""
    end = np.cumsum(clip["held"])
    frames = min(len(clip["log_f0"]), int(end[-1]))
    voiced = clip["voiced"][:frames].astype("f4")
    value = np.clip((clip["log_f0"][:frames] - mean) / spread, -4, 4) * voiced
    total = lambda x: np.concatenate([[0], np.cumsum(x)])
    of = lambda x: total(x)[np.minimum(end, frames)] - total(x)[np.minimum(end - clip["held"], frames)]
    count = of(voiced)
    weight = np.where(count >= 2, np.minimum(count, MOST_FRAMES), 0)
    return Clip(clip["ids"], clip["rows"], speaker, (of(value) / np.maximum(count, 1)).astype("f4"), weight.astype("f4"))


def stack(clips: list[Clip]) -> tuple[torch.Tensor, ...]:
    longest = max(len(clip.ids) for clip in clips)
    shape = (len(clips), longest)
    ids, rows = torch.zeros(shape, dtype=torch.long), torch.zeros(*shape, len(SIZES), dtype=torch.long)
    mask, pitch, weight = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
    for i, clip in enumerate(clips):
        n = len(clip.ids)
        ids[i, :n], rows[i, :n] = torch.from_numpy(clip.ids.astype("i8")), torch.from_numpy(clip.rows.astype("i8"))
        mask[i, :n], pitch[i, :n], weight[i, :n] = 1, torch.from_numpy(clip.pitch), torch.from_numpy(clip.weight)
    return ids, rows, mask, torch.tensor([clip.speaker for clip in clips]), pitch, weight


def rate_at(step: int, steps: int, warm: int, least: float) -> float:
    return min(1.0, (step + 1) / warm) * (least + (1 - least) * (0.5 + 0.5 * math.cos(math.pi * step / steps)))


def correlation(network: Prosody, clips: list[Clip]) -> float:
    network.eval()
    with torch.no_grad():
        ids, rows, mask, speaker, pitch, weight = stack(clips)
        made = network(ids, rows, mask, speaker)
    covariance = np.cov(np.stack([made.flatten(), pitch.flatten()]), aweights=weight.flatten())
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def train(work: Path, seed: int, steps: int) -> None:
    clips: list[Clip] = []
    shares: list[float] = []
    checked: list[Clip] = []
    for number, name in enumerate(READERS):
        found = load(work / name / "prosody.npz")
        heard = [clip for clip in found if not clip["held_out"]]
        mean, spread = statistics(heard)
        clips += [targets(clip, number, mean, spread) for clip in heard]
        shares += [SHARES[name] / len(heard)] * len(heard)
        checked += [targets(clip, number, mean, spread) for clip in [clip for clip in found if clip["held_out"]][EVALUATED:]]
    pool = load(work / "readers" / "prosody.npz")
    clips += [Clip(clip["ids"], clip["rows"], len(READERS) + int(clip["reader"]), clip["pitch"], clip["weight"]) for clip in pool]
    shares += [SHARES["pool"] / len(pool)] * len(pool)
    draw, weights = np.random.RandomState(seed), np.array(shares) / np.sum(shares)
    network = Prosody(1 + max(clip.speaker for clip in clips))
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=0.05)
    average = [value.detach().clone() for value in network.parameters()]
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * rate_at(step, steps, 60, 0.02)
        ids, rows, mask, speaker, pitch, weight = stack([clips[i] for i in draw.choice(len(clips), 20, p=weights)])
        network.train()
        made = network(ids, rows, mask, speaker)
        loss = (F.huber_loss(made, pitch, reduction="none", delta=1.5) * weight).sum() / weight.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        decay = min(0.995, (step + 1) / (step + 20))
        for value, new in zip(average, network.parameters()):
            value.mul_(decay).add_(new.detach(), alpha=1 - decay)
        if (step + 1) % 200 == 0:
            print(f"{step + 1}: loss {loss.item():.3f}, kathleen {correlation(network, checked):.3f}", flush=True)
    for value, new in zip(average, network.parameters()):
        new.data.copy_(value)
    print(f"averaged: kathleen {correlation(network, checked):.3f}", flush=True)
    torch.save(network.state_dict(), work / "prosody.pt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    train(options.work / "parley", options.seed, options.steps)


if __name__ == "__main__":
    main()
