"""Train the network on pools of synthetic and human speech until a given time of day.

The mix is given as shares of the audio: `--mix espeak=0.2 commonvoice_train=0.1 ...`. Small pools are repeated, each time with other
augmentation. The learning rate falls along a cosine over the given time; the averaged weights (EMA) are saved beside the last ones.

Every ten minutes, at the end and when it is told to stop (SIGTERM), it writes all it needs to go on to `state.pt`. `--resume` goes on from
there, also with another mix or a later end: the cosine is then over what was trained and what is left.

Two processes share a training, each on its core: `--part 0/2` and `--part 1/2` with the same folder. Both take a step on the mean of their
gradients. They find each other by the file `meeting` of the folder, which must not be there before:
they leave none unless they are killed.
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
import torch.distributed
import torch.nn.functional as F

import phones
import pools
from augment import STRENGTHS, Augmenter
from network import FRAME_SAMPLES, Network, greedy
from score import distance

BATCH_SAMPLES = 24 * pools.RATE
CHUNK_SAMPLES = 1200 * pools.RATE
LONGEST = 17 * pools.RATE
SAVE_EVERY_S = 600
MEETING = "meeting"
LENGTH_STEP = 16 * FRAME_SAMPLES
"""Batches are padded to a multiple of so many samples: fewer shapes, for each of which oneDNN prepares its products anew."""
FRONT_RATE, HEAD_RATE = 0.5, 5.0
"""Learning rates of the convolutions and of the layer of phones, which begins as noise, over that of the layers."""
USABLE_SAMPLES = 640
"""Clips with a phone in less than this are transcripts of something else."""
JOINED = ("speech_commands_train", "an4_train")
"""Pools of single words: several clips are joined to one utterance, so that words have neighbours."""

Sample = tuple[np.ndarray, list[int]]
Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def usable(item: pools.Utterance) -> bool:
    """Long enough for its phones (CTC needs a frame for each) and short enough for a batch."""
    return len(item.phones) > 1 and 1.05 * len(item.phones) + 2 < len(item.audio) / USABLE_SAMPLES and len(item.audio) < LONGEST


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


def collate(augmenter: Augmenter, batch: list[Sample]) -> Batch:
    """(changed samples [N, S], lengths, phones of all clips in a row, how many each has)."""
    changed = [augmenter.changed(audio) for audio, _ in batch]
    lengths = torch.tensor([len(samples) for samples in changed])
    x = torch.zeros(len(changed), -(-int(lengths.max()) // LENGTH_STEP) * LENGTH_STEP)
    for row, samples in zip(x, changed, strict=True):
        row[: len(samples)] = torch.from_numpy(samples)
    return x, lengths, torch.tensor([p for _, said in batch for p in said]), torch.tensor([len(said) for _, said in batch])


def nats_and_errors(network: Network, clips: list[tuple[torch.Tensor, list[int]]]) -> tuple[float, float]:
    """What the clips' phones cost, in nats a phone, and phone errors of the greedy path in percent; one clip at a time."""
    network.eval()
    nats, errors, count = 0.0, 0, 0
    with torch.no_grad():
        for audio, said in clips:
            log_probs, frames = network(audio[None], torch.tensor([len(audio)]))
            cost = F.ctc_loss(log_probs.transpose(0, 1), torch.tensor([said]), frames, torch.tensor([len(said)]), reduction="sum")
            nats, errors, count = nats + cost.item(), errors + distance(said, greedy(log_probs[0])), count + len(said)
    network.train()
    return nats / max(1, count), 100 * errors / max(1, count)


def average(mean: Network, network: Network, keep: float) -> None:
    with torch.no_grad():
        for a, b in zip(mean.state_dict().values(), network.state_dict().values(), strict=True):
            a.mul_(keep).add_(b, alpha=1 - keep)


@dataclass
class Run:
    """All that training needs to go on after it was stopped."""

    network: Network
    mean: Network
    optimizer: torch.optim.Optimizer
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


def optimizer_of(network: Network, rate: float) -> torch.optim.Optimizer:
    """AdamW, each group with its share of the learning rate as `share`."""
    named = [(name, p) for name, p in network.named_parameters() if not name.startswith(("conv1.", "scale", "shift"))]
    front = [p for name, p in named if name.startswith("conv")]
    head = [p for name, p in named if name.startswith(("norm.", "head."))]
    layers = [p for name, p in named if name.startswith("layers.")]
    groups = [{"params": params, "share": share} for params, share in ((layers, 1.0), (front, FRONT_RATE), (head, HEAD_RATE))]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), weight_decay=1e-3)


def share_gradients(learned: list[torch.nn.Parameter]) -> None:
    """Gives every process the mean of all processes' gradients."""
    if not torch.distributed.is_initialized():
        return
    flat = torch.cat([p.grad.view(-1) for p in learned])
    torch.distributed.all_reduce(flat)
    flat /= torch.distributed.get_world_size()
    for p, part in zip(learned, flat.split([p.numel() for p in learned]), strict=True):
        p.grad.copy_(part.view_as(p))


def all_go_on(go_on: bool) -> bool:
    """Whether every process goes on: they stop at the same step."""
    if not torch.distributed.is_initialized():
        return go_on
    stopping = torch.tensor([0.0 if go_on else 1.0])
    torch.distributed.all_reduce(stopping)
    return stopping.item() == 0


def learn(run: Run, batch: Batch, bf16: bool) -> None:
    """One step of the optimizer on a batch of collate()."""
    x, lengths, said, counts = batch
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
        scores, frames = run.network.body(x, lengths)
    loss = F.ctc_loss(F.log_softmax(scores.float(), -1).transpose(0, 1), said, frames, counts, zero_infinity=True)
    run.optimizer.zero_grad()
    loss.backward()
    learned = [p for group in run.optimizer.param_groups for p in group["params"]]
    share_gradients(learned)
    if torch.isfinite(torch.nn.utils.clip_grad_norm_(learned, 2.0)):
        run.optimizer.step()
    run.step += 1
    run.audio += int(lengths.sum()) / pools.RATE
    run.loss = loss.item() if run.step == 1 else 0.98 * run.loss + 0.02 * loss.item()


def sources(folder: Path, mix: list[str], rng: random.Random) -> list[Source]:
    """Sources of `POOL=SHARE` entries."""
    return [Source(folder / name, float(share), rng) for name, share in (entry.split("=") for entry in mix)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--mix", nargs="+", required=True, metavar="POOL=SHARE")
    parser.add_argument("--watch", nargs="*", default=[], metavar="POOL", help="pools whose nats and errors a phone are printed")
    parser.add_argument("--until", required=True, metavar="HH:MM", help="end, UTC, today")
    parser.add_argument("--start-from", type=Path, help="checkpoint to begin with, of moonshine.py or of a training")
    parser.add_argument("--rate", type=float, default=4e-4, help="highest learning rate, of the layers")
    parser.add_argument("--warm-up", type=int, default=60, help="steps until the highest rate")
    parser.add_argument("--part", default="0/1", help="which process of how many this is")
    parser.add_argument("--bf16", action="store_true", help="bfloat16 arithmetic; measure first, it is not faster everywhere")
    parser.add_argument("--augment", choices=STRENGTHS, default="least", help="how much clips are changed")
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
    network, (part, parts) = Network(), map(int, options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    if parts > 1:
        torch.distributed.init_process_group("gloo", init_method=f"file://{(options.out / MEETING).resolve()}", rank=part, world_size=parts)
    if options.start_from:
        network.load_state_dict(torch.load(options.start_from, map_location="cpu"))
    optimizer = optimizer_of(network, options.rate)
    run = Run(network, copy.deepcopy(network), optimizer)
    if options.resume and (options.out / "state.pt").exists():
        run.load(options.out)
        print(f"goes on after {run.seconds / 60:.0f} min, {run.step} steps, {run.audio / 3600:.1f} h of audio", flush=True)
    # After a stop the walk through the pools is another one.
    seed = parts * (options.seed + run.step) + part
    torch.manual_seed(seed)
    random.seed(seed)
    rng = random.Random(seed)
    mix = sources(options.pools, options.mix, rng)
    augmenter = Augmenter([audio for source in mix if source.ready() for audio, _ in source.items[:40]], seed, STRENGTHS[options.augment])
    watched = {
        name: [(torch.from_numpy(item.audio.astype("f4") / 32768), phones.ids(item.phones)) for item in pools.read(options.pools / name)] for name in options.watch
    }
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stopped.append(number))
    first_step, before, begin, end = run.step, run.seconds, time.time(), end_time(options.until)
    preparing, reported, saved = 0.0, begin - 240, begin

    def report() -> None:
        found = {name: nats_and_errors(run.mean, clips) for name, clips in watched.items()}
        watching = ", ".join(f"{name} {nats:.3f}, {errors:.1f} %" for name, (nats, errors) in found.items())
        print(
            f"{time.strftime('%H:%M', time.gmtime())} step {run.step} audio {parts * run.audio / 3600:.1f} h preparing "
            f"{preparing / (time.time() - begin):.0%} loss {run.loss:.3f} | mean weights, nats and errors a phone: {watching}",
            flush=True,
        )

    for samples in batches(mix, rng):
        run.seconds = before + time.time() - begin
        done = run.seconds / (before + end - begin)
        if not all_go_on(done < 1 and not stopped):
            break
        warm = min(1, (run.step - first_step + 1) / options.warm_up)
        for group in optimizer.param_groups:
            group["lr"] = group["share"] * options.rate * warm * (0.5 * (1 + math.cos(math.pi * done)) * 0.98 + 0.02)
        start = time.time()
        batch = collate(augmenter, samples)
        preparing += time.time() - start
        learn(run, batch, options.bf16)
        if run.step % 4 == 0:
            average(run.mean, network, 0.95 if done < 0.5 else 0.97)
        if part == 0 and time.time() - reported > 360:
            reported = time.time()
            report()
        if part == 0 and time.time() - saved > SAVE_EVERY_S:
            saved = time.time()
            run.save(options.out)
    if part == 0:
        run.save(options.out)
        report()
    if torch.distributed.is_initialized():
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()
        (options.out / MEETING).unlink(missing_ok=True)
    for source in mix:
        print(f"{source.path.name:24} heard {source.played / max(1, source.seconds()):.1f} times")


if __name__ == "__main__":
    main()
