"""Trains the voice. Three stages, each starting from the last one's checkpoint:

  parameters   L1 on durations and the vocoder's parameters, long crops
  spectrum     adds the multi-resolution spectral distance of the sound, short crops
  adversarial  adds two spectrogram discriminators for the speakers whose sound is to be imitated (--judged)

A checkpoint holds the speakers' names, the weights and their running average, which is what evaluation and export use.
"""

import argparse
import copy
import math
import os
import random
import re
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn

from dataset import Batch, Clip, Sampler, collate, load_speaker, statistics
from losses import Discriminator, judge, parameter_losses, persuade, spectral, spectral_distance_db, weighed
from model import Voice
from symbols import TOKEN_ID

MARGIN = 24
STAGES = {"parameters": (256, 0), "spectrum": (96, MARGIN), "adversarial": (96, MARGIN)}
"""Frames and margin of a crop."""


def earlier_names(name: str) -> str:
    """Our name of a weight in the checkpoints of the single-speaker experiment."""
    rules = [
        (r"^emb\.", "tokens."), (r"^pos\.", "position."), (r"^pin\.", "place."), (r"^enc\.", "encoder."), (r"^dec\.", "decoder."),
        (r"^((?:en|de)coder\.\d)\.a\.", r"\1.wide."), (r"^((?:en|de)coder\.\d)\.b\.", r"\1.point."),
        (r"^att\.(\d)\.n\.", r"attention.\1.norm."), (r"^att\.(\d)\.qkv\.", r"attention.\1.qkv."), (r"^att\.(\d)\.o\.", r"attention.\1.back."),
        (r"^dur\.0\.", "durations.first."), (r"^dur\.3\.", "durations.second."), (r"^dur\.5\.", "durations.last."),
        (r"^cal\.m\.weight", "correction.envelope"), (r"^cal\.m\.bias", "correction.envelope_bias"),
        (r"^cal\.b\.weight", "correction.periodic"), (r"^cal\.b\.bias", "correction.periodic_bias"),
    ]
    for pattern, replacement in rules:
        name = re.sub(pattern, replacement, name)
    return name


def warm_start(model: Voice, path: Path) -> int:
    """Takes over what fits of an earlier checkpoint; the correction is given to every speaker. Gives how many tensors."""
    own, taken = model.state_dict(), 0
    for name, value in torch.load(path, map_location="cpu").items():
        name = earlier_names(name)
        if name.startswith("correction."):
            own[name].copy_(value.expand_as(own[name]))
        elif name in own and own[name].shape == value.shape:
            own[name].copy_(value)
        else:
            continue
        taken += 1
    return taken


def sound(model: Voice, o: torch.Tensor, truth: torch.Tensor, speaker: torch.Tensor, noise: torch.Tensor, own_pitch: bool) -> torch.Tensor:
    """Samples [B, S] of predicted parameters with the recording's pitch (unless `own_pitch`) and voicing."""
    y = model.scale(o, speaker)
    pitch = y[..., :1].detach() if own_pitch else torch.where(truth[..., :1] > 0, truth[..., :1], y[..., :1].detach())
    y = torch.cat([pitch, truth[..., 1:2], y[..., 2:]], -1)
    return model.vocoder(model.correction(y, speaker), noise).flatten(1)


def evaluate(model: Voice, held: dict[str, list[Clip]], count: int) -> str:
    """One line per speaker about `count` held-out clips, with the recordings' durations."""
    model.eval()
    lines = []
    for name, clips in held.items():
        rows, distances = [], []
        with torch.no_grad():
            for clip in clips[:count]:
                batch = collate([clip], None, 0, random.Random(0))
                losses, o = parameter_losses(model, batch)
                y, truth = model.scale(o, batch.speaker)[0], batch.parameters[0]
                frames = (model.encode(batch.tokens, batch.mask, batch.speaker)[1].exp() - 1).clamp(min=1) * (batch.tokens != TOKEN_ID["_"])
                voiced = truth[:, 1] > 0
                hz, true_hz = y[voiced, 0].exp(), truth[voiced, 0].exp()
                rows.append([
                    losses["duration"].item(), losses["pitch"].item(), losses["envelope"].item(), ((hz - true_hz) ** 2).mean().sqrt().item(),
                    np.corrcoef(y[voiced, 0], truth[voiced, 0])[0, 1], (y[voiced, 0].std() / truth[voiced, 0].std()).item(),
                    ((y[:, 1] > 0) != (truth[:, 1] > 0.5)).float().mean().item(), (frames.sum() / batch.durations.sum()).item()])
                if len(distances) < 8:
                    made = sound(model, o, batch.parameters, batch.speaker, model.vocoder.noise(o.shape[1])[None], False)
                    distances.append(spectral_distance_db(made[0], batch.samples[0]))
        names = "duration %.3f pitch %.3f envelope %.3f | F0 rmse %.1f Hz corr %.2f sd ratio %.2f voicing error %.3f length ratio %.3f"
        figures = names % tuple(np.mean(rows, 0))
        lines.append(f"  {name:9s} {figures} | LSD {np.mean(distances):.2f} dB")
    model.train()
    return "\n".join(lines)


class Trainer:
    def __init__(self, model: Voice, options: argparse.Namespace, judged: frozenset[int]) -> None:
        self.model, self.options, self.judged = model, options, judged
        self.stage = options.stage
        first = 0.8 if self.stage == "adversarial" else 0.9
        fast = [weight for name, weight in model.named_parameters() if name.startswith("correction.")]
        slow = [weight for name, weight in model.named_parameters() if not name.startswith("correction.")]
        self.optimizer = torch.optim.AdamW([{"params": slow, "factor": 1.0}, {"params": fast, "factor": options.correction_rate}],
                                           options.rate, betas=(first, 0.98), weight_decay=1e-3)
        self.judges = nn.ModuleList([Discriminator(1024), Discriminator(512)])
        self.judge_optimizer = torch.optim.Adam(self.judges.parameters(), 2e-4, betas=(0.8, 0.99))
        self.average = copy.deepcopy(model.state_dict())
        self.noise = model.vocoder.noise(6000)
        self.running: dict[str, float] = {}
        self.step = 0

    def rate(self, progress: float) -> float:
        return self.options.rate * min(1, (self.step + 1) / 60) * (0.5 * (1 + math.cos(math.pi * progress)) * 0.95 + 0.05)

    def train_step(self, batch: Batch, progress: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(progress) * group["factor"]
        with torch.autocast("cpu", torch.bfloat16, enabled=self.options.bf16):
            losses, o = parameter_losses(self.model, batch)
        loss = weighed(losses)
        if self.stage != "parameters":
            loss, more = self.sound_loss(loss, o, batch)
            losses = {**losses, **more}
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        keep = min(0.995, self.step / (self.step + 10))
        for name, value in self.model.state_dict().items():
            self.average[name].mul_(keep).add_(value, alpha=1 - keep)
        for name, value in losses.items():
            self.running[name] = 0.95 * self.running.get(name, float(value)) + 0.05 * float(value)

    def sound_loss(self, loss: torch.Tensor, o: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        middle = slice(MARGIN, o.shape[1] - MARGIN)
        first = random.randint(0, 5800)
        noise = self.noise[first : first + o.shape[1] - 2 * MARGIN][None].expand(len(o), -1, -1)
        made = sound(self.model, o[:, middle], batch.parameters[:, middle], batch.speaker, noise, False)
        distance = spectral(made, batch.samples)
        if self.stage == "spectrum":
            return 0.4 * loss + 2 * distance, {"spectral": distance}
        rows = torch.tensor([int(speaker) in self.judged for speaker in batch.speaker])
        made, true = made[rows], batch.samples[rows]
        self.judge_optimizer.zero_grad()
        judged = judge(self.judges, made.detach(), true)
        judged.backward()
        self.judge_optimizer.step()
        self.judges.requires_grad_(False)
        convincing, likeness = persuade(self.judges, made, true)
        self.judges.requires_grad_(True)
        strength = min(1.0, max(0.0, (self.step - self.options.quiet) / 100))
        total = 0.2 * loss + 1.5 * distance + strength * (0.5 * convincing + likeness)
        return total, {"spectral": distance, "judged": judged, "convincing": convincing, "likeness": likeness}


def save(path: Path, speakers: list[str], model: Voice, trainer: Trainer) -> None:
    unfinished = path.with_suffix(".part")
    torch.save({"speakers": speakers, "model": model.state_dict(), "average": trainer.average, "judges": trainer.judges.state_dict()}, unfinished)
    os.replace(unfinished, path)


def begin(options: argparse.Namespace, train: dict[str, list[Clip]]) -> Voice:
    """A model with the speakers' statistics, started as the options say."""
    model = Voice(len(options.speakers))
    for i, clips in enumerate(train.values()):
        mean, spread = statistics(clips)
        model.mean[i], model.spread[i] = torch.tensor(mean), torch.tensor(spread)
    if options.warm:
        print("tensors taken over:", warm_start(model, options.warm), flush=True)
    if options.start:
        found = torch.load(options.start, map_location="cpu")
        if found["speakers"] != options.speakers:
            raise SystemExit(f"{options.start} has the speakers {found['speakers']}")
        model.load_state_dict(found["average"])
    return model


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stage", choices=STAGES, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="how long to train, by the clock")
    parser.add_argument("--rate", type=float, required=True, help="highest learning rate")
    parser.add_argument("--start", type=Path, help="checkpoint to go on from, of training or of import_graph.py")
    parser.add_argument("--warm", type=Path, help="checkpoint of the single-speaker experiment to start from")
    parser.add_argument("--speakers", nargs="+", default=["lj", "kathleen", "slt", "rms"])
    parser.add_argument("--judged", nargs="+", default=["lj", "kathleen"], help="speakers whose sound the discriminators hold against the clips")
    parser.add_argument("--mix", nargs="+", type=int, default=[3, 3, 1, 1], help="clips of each speaker in a batch")
    parser.add_argument("--correction-rate", type=float, default=3.0, help="learning rate of the correction, as a multiple")
    parser.add_argument("--quiet", type=int, default=30, help="steps before the discriminators are listened to")
    parser.add_argument("--check", type=int, default=12, help="held-out clips per speaker looked at in the end")
    parser.add_argument("--bf16", action="store_true", help="compute what is no sound with 16-bit numbers, on processors that have them")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    random.seed(0)
    train: dict[str, list[Clip]] = {}
    held: dict[str, list[Clip]] = {}
    for i, speaker in enumerate(options.speakers):
        train[speaker], held[speaker] = load_speaker(options.work / speaker, i)
    model = begin(options, train)
    print({name: len(clips) for name, clips in train.items()}, "parameters", sum(p.numel() for p in model.parameters()), flush=True)
    trainer = Trainer(model, options, frozenset(i for i, name in enumerate(options.speakers) if name in options.judged))
    draw = random.Random(1)
    samplers = [Sampler(clips, draw) for clips in train.values()]
    crop, margin = STAGES[options.stage]
    started, shown = time.monotonic(), time.monotonic()
    while (progress := (time.monotonic() - started) / options.seconds) < 1:
        clips = [clip for sampler, count in zip(samplers, options.mix, strict=True) for clip in sampler.take(count)]
        trainer.train_step(collate(clips, crop, margin, draw), progress)
        if time.monotonic() - shown > 90:
            print(f"{options.stage} step {trainer.step} at {time.monotonic() - started:.0f} s:",
                  " ".join(f"{name} {value:.3f}" for name, value in trainer.running.items()), flush=True)
            save(options.out, options.speakers, model, trainer)
            shown = time.monotonic()
    save(options.out, options.speakers, model, trainer)
    model.load_state_dict(trainer.average)
    print(f"{options.stage}: {trainer.step} steps in {time.monotonic() - started:.0f} seconds\n" + evaluate(model, held, options.check), flush=True)


if __name__ == "__main__":
    main()
