"""Trains the detector: `train.py DATA WORK SECONDS [CHECKPOINT]`, from a checkpoint or from nothing. WORK keeps the clean clips and `detector.pt`."""

import pickle
import sys
import time
from pathlib import Path

import numpy as np
import torch

import noises
import sounds
from mix import mix, room, telephone, timeline
from network import Detector, Features

SECONDS, BATCH = 5, 24


def prepared(data: Path, work: Path) -> dict:
    """Clean clips, and a bank of noises; each made once."""
    rng, n = np.random.default_rng(1), 10 * noises.RATE
    kept = work / "clips.pkl"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(sounds.human(data, held_out=False) + sounds.synthetic(data, 600, seed=5)))
    clips = pickle.loads(kept.read_bytes())
    kept = work / "noises.pkl"
    if not kept.exists():
        people = [clip for clip in clips if clip.corpus not in ("synthetic", "speech_commands")]
        bank = [noises.unit(noises.TRAINING[i % len(noises.TRAINING)](rng, n)).astype(np.float16) for i in range(360)]
        crowd = [noises.unit(noises.babble(rng, n, people)).astype(np.float16) for _ in range(40)]
        kept.write_bytes(pickle.dumps({"bank": bank, "crowd": crowd}))
    return {"clips": clips, **pickle.loads(kept.read_bytes())}


def example(rng, data: dict, weights: np.ndarray):
    clips = [data["clips"][i] for i in rng.choice(len(weights), 6, p=weights)]
    n = SECONDS * noises.RATE
    sound, speech, sure = timeline(rng, clips, n, silent=0.25, pause=1.0)
    if rng.random() < 0.3:
        sound = room(rng, sound)
    crowded = rng.random() < 0.12
    bank = data["crowd"] if crowded else data["bank"]
    noise = None
    if rng.random() > 0.07:
        at = rng.integers(n)
        noise = bank[rng.integers(len(bank))][at : at + n].astype(np.float32)
        if rng.random() < 0.3:
            noise = noise + data["bank"][rng.integers(len(data["bank"]))][at : at + n].astype(np.float32) * rng.uniform(0.1, 1)
    snr = rng.uniform(3 if crowded else -5, 30)
    level = rng.uniform(-50, -8)
    mixed = mix(rng, sound, speech, noise, snr, level)
    if rng.random() < 0.2:
        mixed = telephone(rng, mixed)
    return mixed, speech, sure


def main() -> None:
    data_folder, work, seconds = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    rng = np.random.default_rng(7 + len(sys.argv))
    data = prepared(data_folder, work)
    # A corpus counts by the square root of its clips: many one-second words must not outweigh the few other people.
    corpora = [clip.corpus for clip in data["clips"]]
    counts = {corpus: corpora.count(corpus) for corpus in set(corpora)}
    weights = np.array([counts[corpus] ** -0.5 for corpus in corpora])
    weights /= weights.sum()
    print(counts, flush=True)
    features, detector = Features(), Detector()
    if len(sys.argv) > 4:
        detector.load_state_dict(torch.load(sys.argv[4]))
    optimizer = torch.optim.AdamW(detector.parameters(), lr=3e-3, weight_decay=1e-3)
    began, step, shown = time.time(), 0, []
    while (done := (time.time() - began) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * min(1, (step + 1) / 50) * (0.5 + 0.5 * np.cos(np.pi * done))
        rows = [example(rng, data, weights) for _ in range(BATCH)]
        x, speech, sure = (torch.from_numpy(np.stack(column)) for column in zip(*rows))
        with torch.no_grad():
            heard = features(x)
        logits = detector(heard)
        loss = (torch.nn.functional.binary_cross_entropy_with_logits(logits, speech, reduction="none") * sure).sum() / sure.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(detector.parameters(), 2)
        optimizer.step()
        step += 1
        right = (((logits > 0) == (speech > 0.5)) * (sure == 1)).sum() / (sure == 1).sum()
        shown.append((loss.item(), right.item()))
        if step % 25 == 0:
            print(f"{time.time() - began:5.0f} s step {step} loss {np.mean([a for a, _ in shown]):.3f} right {np.mean([b for _, b in shown]):.3f}", flush=True)
            shown = []
            torch.save(detector.state_dict(), work / "detector.pt")
    torch.save(detector.state_dict(), work / "detector.pt")


if __name__ == "__main__":
    main()
