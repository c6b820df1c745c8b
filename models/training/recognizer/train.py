"""Train the network on pools of synthetic and human speech until a given time of day.

The mix is given as shares of the audio: `--mix espeak=0.2 commonvoice_train=0.1 ...`. Small pools are repeated, each time with other
augmentation. The learning rate falls along a cosine over the given time; the averaged weights (EMA) are saved beside the last ones.

Every ten minutes, at the end and when it is told to stop (SIGTERM), it writes all it needs to go on to `state.pt`. `--resume` goes on from
there, also with another mix or a later end: the cosine is then over what was trained and what is left.
"""

import argparse
import copy
import math
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import phones
import pools
from augment import STRENGTHS, Augmenter
from features import log_mel
from network import Network, greedy
from score import distance
from whitened import WhitenedConvolutions, adam

BATCH_SAMPLES = 40 * pools.RATE
CHUNK_SAMPLES = 1200 * pools.RATE
LONGEST = 17 * pools.RATE
SAVE_EVERY_S = 600
LENGTH_STEP = 32
"""Batches are padded to a multiple of so many frames: fewer shapes, for each of which the convolutions are prepared anew."""
JOINED = ("speech_commands_train", "an4_train")
"""Pools of single words: several clips are joined to one utterance, so that words have neighbours."""

Sample = tuple[np.ndarray, list[int]]


def usable(item: pools.Utterance) -> bool:
    """Long enough for its phones (CTC needs a frame for each) and short enough for a batch."""
    return len(item.phones) > 1 and 1.05 * len(item.phones) + 2 < len(item.audio) / 640 and len(item.audio) < LONGEST


class Source:
    """An endless, shuffled walk through a pool. A pool that is still being made joins when it is there."""

    def __init__(self, path: Path, share: float, rng: random.Random):
        self.path, self.share, self.rng = path, share, rng
        self.items: list[Sample] = []
        self.joined, self.order, self.played = path.name in JOINED, [], 0.0

    def ready(self) -> bool:
        if not self.items and self.path.with_suffix(".tsv").exists():
            self.items = [(item.audio, phones.ids(item.phones)) for item in pools.read(self.path) if usable(item)]
            print(f"{self.path.name:24} {len(self.items):6} clips {self.seconds() / 60:7.1f} min, share {self.share:.3f}", flush=True)
        return bool(self.items)

    def seconds(self) -> float:
        return sum(len(audio) for audio, _ in self.items) / pools.RATE

    def _one(self) -> Sample:
        if not self.order:
            self.order = self.rng.sample(range(len(self.items)), len(self.items))
        return self.items[self.order.pop()]

    def draw(self) -> Sample:
        parts = [self._one() for _ in range(self.rng.randint(1, 5) if self.joined else 1)]
        parts = parts[: max(1, next((i for i in range(len(parts)) if sum(len(a) for a, _ in parts[: i + 1]) > 200_000), len(parts)))]
        audio = np.concatenate([audio for audio, _ in parts]) if len(parts) > 1 else parts[0][0]
        self.played += len(audio) / pools.RATE
        return audio, [phone for _, said in parts for phone in said]


def batches(sources: list[Source], rng: random.Random) -> Iterator[list[Sample]]:
    """Batches of about 40 s of clips of similar length; each chunk of 20 minutes holds every source with its share."""
    while True:
        chunk: list[Sample] = []
        ready = [source for source in sources if source.ready()]
        whole = sum(source.share for source in ready)
        for source in ready:
            wanted = source.share / whole * CHUNK_SAMPLES * rng.uniform(0.8, 1.2)
            while wanted > 0:
                chunk.append(source.draw())
                wanted -= len(chunk[-1][0])
        chunk.sort(key=lambda sample: len(sample[0]) * rng.uniform(0.92, 1.08))
        made: list[list[Sample]] = [[]]
        longest = 0
        for sample in chunk:
            longest = max(longest, len(sample[0]))
            if made[-1] and longest * (len(made[-1]) + 1) > BATCH_SAMPLES:
                made.append([])
                longest = len(sample[0])
            made[-1].append(sample)
        rng.shuffle(made)
        yield from made


def collate(network: Network, augmenter: Augmenter, batch: list[Sample]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """(normalized features [N, T, 80], lengths, phones of all clips in a row, how many each has)."""
    frames = [augmenter.features(audio) for audio, _ in batch]
    lengths = torch.tensor([len(f) for f in frames])
    x = torch.full((len(frames), -(-int(lengths.max()) // LENGTH_STEP) * LENGTH_STEP, 80), -15.9)
    for row, f in zip(x, frames, strict=True):
        row[: len(f)] = f
    x = network.normalize(x, lengths)
    for row, length in zip(x, lengths.tolist(), strict=True):
        augmenter.gaps(row, length)
    return x, lengths, torch.tensor([p for _, said in batch for p in said]), torch.tensor([len(said) for _, said in batch])


def phone_error_rate(network: Network, clips: list[tuple[torch.Tensor, list[int]]]) -> float:
    """Percent, by the greedy path, one clip at a time."""
    network.eval()
    errors = count = 0
    with torch.no_grad():
        for frames, said in clips:
            log_probs, _ = network(frames[None], torch.tensor([len(frames)]))
            errors, count = errors + distance(said, greedy(log_probs[0])), count + len(said)
    network.train()
    return 100 * errors / max(1, count)


def average(mean: Network, network: Network, keep: float) -> None:
    with torch.no_grad():
        for a, b in zip(mean.state_dict().values(), network.state_dict().values(), strict=True):
            if a.dtype.is_floating_point:
                a.mul_(keep).add_(b, alpha=1 - keep)
            else:
                a.copy_(b)


@dataclass
class Run:
    """All that training needs to go on after it was stopped."""

    network: Network
    mean: Network
    optimizer: torch.optim.Optimizer | WhitenedConvolutions
    seconds: float = 0.0
    """Time spent in training."""
    audio: float = 0.0
    """Seconds of audio heard."""
    step: int = 0
    loss: float = 0.0
    """Running mean."""

    def save(self, folder: Path) -> None:
        """`state.pt` to go on from, `last.pt` and `mean.pt` for export.py; each replaces the one before as a whole."""
        numbers = {"seconds": self.seconds, "audio": self.audio, "step": self.step, "loss": self.loss}
        states = {"network": self.network.state_dict(), "mean": self.mean.state_dict(), "optimizer": self.optimizer.state_dict()}
        for name, content in (("state", numbers | states), ("last", states["network"]), ("mean", states["mean"])):
            torch.save(content, folder / f"{name}.pt.part")
            (folder / f"{name}.pt.part").replace(folder / f"{name}.pt")

    def load(self, folder: Path) -> None:
        state = torch.load(folder / "state.pt", map_location="cpu")
        self.network.load_state_dict(state["network"])
        self.mean.load_state_dict(state["mean"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.seconds, self.audio, self.step, self.loss = state["seconds"], state["audio"], state["step"], state["loss"]


def learn(run: Run, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], bf16: bool) -> None:
    """One step of the optimizer on a batch of collate()."""
    x, lengths, said, counts = batch
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
        scores, middle, frames = run.network.body(x, lengths)
    losses = [F.ctc_loss(F.log_softmax(s.float(), 1).permute(2, 0, 1), said, frames, counts, zero_infinity=True) for s in (scores, middle)]
    run.optimizer.zero_grad()
    (0.75 * losses[0] + 0.25 * losses[1]).backward()
    if torch.isfinite(torch.nn.utils.clip_grad_norm_(run.network.parameters(), 4.0)):
        run.optimizer.step()
    run.step += 1
    run.audio += int(lengths.sum()) / 100
    run.loss = losses[0].item() if run.step == 1 else 0.98 * run.loss + 0.02 * losses[0].item()


def sources(folder: Path, mix: list[str], rng: random.Random) -> list[Source]:
    """Sources of `POOL=SHARE` entries."""
    return [Source(folder / name, float(share), rng) for name, share in (entry.split("=") for entry in mix)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--mix", nargs="+", required=True, metavar="POOL=SHARE")
    parser.add_argument("--watch", nargs="*", default=[], metavar="POOL", help="pools whose phone error rate is printed")
    parser.add_argument("--until", required=True, metavar="HH:MM", help="end, UTC, today")
    parser.add_argument("--start-from", type=Path, help="checkpoint to begin with")
    parser.add_argument("--rate", type=float, default=8e-4, help="highest learning rate")
    parser.add_argument("--warm-up", type=int, default=150, help="steps until the highest rate")
    parser.add_argument("--whitened", action="store_true", help="whitened steps for the convolutions' weights, `whitened.py`")
    parser.add_argument("--bf16", action="store_true", help="bfloat16 arithmetic; measure first, it is not faster everywhere")
    parser.add_argument("--augment", choices=STRENGTHS, default="full", help="how much clips are changed; but for `full`, no channel and no block is dropped")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from state.pt of the folder, where there is one")
    parser.add_argument("--out", type=Path, required=True, help="folder for state.pt, last.pt and mean.pt")
    return parser.parse_args()


def end_time(clock: str) -> float:
    now = time.gmtime()
    hour, minute = map(int, clock.split(":"))
    return time.time() + (hour - now.tm_hour) * 3600 + (minute - now.tm_min) * 60 - now.tm_sec


def main() -> None:
    options = arguments()
    torch.set_num_threads(1)
    network = Network() if options.augment == "full" else Network(drop=0, skip=0)
    if options.start_from:
        network.load_state_dict(torch.load(options.start_from, map_location="cpu"))
    optimizer = WhitenedConvolutions(network, options.rate) if options.whitened else adam(list(network.parameters()), options.rate)
    run = Run(network, copy.deepcopy(network), optimizer)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.resume and (options.out / "state.pt").exists():
        run.load(options.out)
        print(f"goes on after {run.seconds / 60:.0f} min, {run.step} steps, {run.audio / 3600:.1f} h of audio", flush=True)
    # After a stop the walk through the pools is another one.
    seed = options.seed + run.step
    torch.manual_seed(seed)
    random.seed(seed)
    rng = random.Random(seed)
    mix = sources(options.pools, options.mix, rng)
    augmenter = Augmenter([audio for source in mix if source.ready() for audio, _ in source.items[:40]], seed, STRENGTHS[options.augment])
    watched = {
        name: [(log_mel(item.audio / 32768), phones.ids(item.phones)) for item in pools.read(options.pools / name)] for name in options.watch
    }
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stopped.append(number))
    first_step, before, begin, end = run.step, run.seconds, time.time(), end_time(options.until)
    preparing, reported, saved = 0.0, begin - 240, begin

    def report() -> None:
        watching = ", ".join(
            f"{name} {phone_error_rate(network, clips):.1f} / {phone_error_rate(run.mean, clips):.1f}" for name, clips in watched.items()
        )
        print(
            f"{time.strftime('%H:%M', time.gmtime())} step {run.step} audio {run.audio / 3600:.1f} h preparing "
            f"{preparing / (time.time() - begin):.0%} loss {run.loss:.3f} | PER last / mean: {watching}",
            flush=True,
        )

    for samples in batches(mix, rng):
        run.seconds = before + time.time() - begin
        done = run.seconds / (before + end - begin)
        if done >= 1 or stopped:
            break
        warm = min(1, (run.step - first_step + 1) / options.warm_up)
        for group in optimizer.param_groups:
            group["lr"] = options.rate * warm * (0.5 * (1 + math.cos(math.pi * done)) * 0.98 + 0.02)
        start = time.time()
        batch = collate(network, augmenter, samples)
        preparing += time.time() - start
        learn(run, batch, options.bf16)
        if run.step % 8 == 0:
            average(run.mean, network, 0.95 if done < 0.5 else 0.97)
        if time.time() - reported > 360:
            reported = time.time()
            report()
        if time.time() - saved > SAVE_EVERY_S:
            saved = time.time()
            run.save(options.out)
    run.save(options.out)
    report()
    for source in mix:
        print(f"{source.path.name:24} heard {source.played / max(1, source.seconds()):.1f} times")


if __name__ == "__main__":
    main()
