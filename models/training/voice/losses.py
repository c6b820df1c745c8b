"""What training minimises, and the discriminators of the adversarial stage."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import weight_norm

from dataset import Batch
from frames import ENVELOPE, HOP, PERIODIC, RATE, WINDOW
from model import Voice
from symbols import TOKEN_ID

_WINDOWS = {size: torch.hann_window(size) for size in (2048, 1024, 704, 512, 256)}


def magnitudes(samples: torch.Tensor, size: int, hop: int) -> torch.Tensor:
    return torch.stft(samples, size, hop, size, _WINDOWS[size], return_complex=True).abs()


def spectral(made: torch.Tensor, true: torch.Tensor, sizes: tuple[int, ...] = (2048, 1024, 512, 256)) -> torch.Tensor:
    """Multi-resolution distance of magnitudes: mean log difference plus spectral convergence."""
    total = torch.zeros(())
    for size in sizes:
        a, b = magnitudes(made, size, size // 4), magnitudes(true, size, size // 4)
        total = total + (torch.log(a + 2e-3) - torch.log(b + 2e-3)).abs().mean() + (a - b).norm() / (b.norm() + 1e-6)
    return total / len(sizes)


def parameter_losses(model: Voice, batch: Batch) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """L1 losses on durations and parameters with the recording's own durations; and the model's normalised parameters."""
    encoded, log_frames = model.encode(batch.tokens, batch.mask, batch.speaker)
    timed = batch.mask * (batch.tokens != TOKEN_ID["_"])
    duration = ((log_frames.float() - torch.log1p(batch.durations)).abs() * timed).sum() / timed.sum()
    owner, inside, since = model.spread_out(batch.durations, batch.parameters.shape[1], batch.offset)
    h = model.expand(encoded, batch.durations, owner, inside, since)
    o = model.decode(h, inside.transpose(1, 2), batch.speaker).float()
    goal = model.normal(batch.parameters, batch.speaker)
    frames, voiced = batch.inside.sum(), batch.parameters[..., 1:2] * batch.inside
    losses = {
        "duration": duration,
        "pitch": ((o[..., :1] - goal[..., :1]).abs() * (voiced + 0.05 * batch.inside)).sum() / frames,
        "voicing": (F.binary_cross_entropy_with_logits(o[..., 1:2], batch.parameters[..., 1:2], reduction="none") * batch.inside).sum() / frames,
        "envelope": ((o[..., ENVELOPE] - goal[..., ENVELOPE]).abs() * batch.inside).mean(-1).sum() / frames,
        "periodic": ((o[..., PERIODIC] - goal[..., PERIODIC]).abs() * voiced).mean(-1).sum() / voiced.sum().clamp(min=1),
    }
    return losses, o


def weighed(losses: dict[str, torch.Tensor]) -> torch.Tensor:
    weights = {"duration": 0.5, "pitch": 1.0, "voicing": 1.0, "envelope": 2.0, "periodic": 0.3}
    return sum(weights[name] * loss for name, loss in losses.items())


class Discriminator(nn.Module):
    """Tells recordings from synthesis by their log spectrogram; gives a map of opinions and the features on the way."""

    def __init__(self, size: int, channels: int = 24) -> None:
        super().__init__()
        self.size = size
        plan = [((2, 1), channels), ((2, 2), channels), ((2, 2), channels * 2), ((2, 1), channels * 2)]
        self.layers = nn.ModuleList()
        before = 1
        for stride, after in plan:
            self.layers.append(weight_norm(nn.Conv2d(before, after, (5, 3), stride, (2, 1))))
            before = after
        self.last = weight_norm(nn.Conv2d(before, 1, 3, 1, 1))

    def forward(self, samples: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        x = torch.log(magnitudes(samples, self.size, self.size // 4) + 3e-3)[:, None] * 0.4 + 0.6
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.2)
            features.append(x)
        return self.last(x), features


def judge(judges: nn.ModuleList, made: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """The discriminators' own loss (least squares)."""
    return sum(((judge(true)[0] - 1) ** 2).mean() + (judge(made)[0] ** 2).mean() for judge in judges)


def persuade(judges: nn.ModuleList, made: torch.Tensor, true: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The voice's loss: how little it convinces, and how far its features are from the recording's."""
    convincing, likeness = torch.zeros(()), torch.zeros(())
    for judge_ in judges:
        opinion, features = judge_(made)
        with torch.no_grad():
            _, wanted = judge_(true)
        convincing = convincing + ((opinion - 1) ** 2).mean()
        likeness = likeness + sum((a - b).abs().mean() / (b.abs().mean() + 1e-3) for a, b in zip(features, wanted)) / len(wanted)
    return convincing, likeness


def _mel_bands(count: int, lowest: float = 40.0, highest: float = 11_000.0) -> torch.Tensor:
    mel = lambda hz: 2595 * np.log10(1 + hz / 700)
    edges = 700 * (10 ** (np.linspace(mel(lowest), mel(highest), count + 2) / 2595) - 1)
    hz = np.arange(WINDOW // 2 + 1) * RATE / WINDOW
    rows = [np.maximum(0, np.minimum((hz - a) / (b - a), (c - hz) / (c - b))) for a, b, c in zip(edges, edges[1:], edges[2:])]
    return torch.tensor(np.stack([row / max(row.sum(), 1e-6) for row in rows]), dtype=torch.float32)


_MEL = _mel_bands(40)


def spectral_distance_db(made: torch.Tensor, true: torch.Tensor) -> float:
    """Log-spectral distance in 40 mel bands to 11 kHz over frames within 45 dB of the loudest."""
    length = min(len(made), len(true))
    a, b = (10 * torch.log10(_MEL @ magnitudes(x[:length], WINDOW, HOP).pow(2) + 1e-4) for x in (made, true))
    loud = b.mean(0) > b.mean(0).max() - 45
    return ((a - b)[:, loud].pow(2).mean(0).sqrt()).mean().item()
