"""The acoustic network: log-mel frames to phone probabilities every 40 ms, batched exactly as alone.

Two strided convolutions, then residual convolution blocks with a gate per channel that sees the whole utterance. Everything past an
utterance's end is zero after every layer, and every mean runs over its own frames only, so padding cannot change a result.
"""

import random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from phones import SYMBOLS

DILATIONS = (1, 1, 2, 2, 4, 4, 2, 1, 1, 2, 2, 1)
FLOOR_NATS = 11.0
"""Bands quieter than the loudest frame's mean by more than this are silence."""


def mask(frames: int, lengths: Tensor) -> Tensor:
    """[N, 1, frames]: 1 inside the utterance, 0 in the padding."""
    return (torch.arange(frames)[None] < lengths[:, None]).float()[:, None]


class Block(nn.Module):
    """x + gate * conv(relu(norm(conv(x)))). Attribute names are those of the first checkpoints."""

    def __init__(self, channels: int, dilation: int, drop: float):
        super().__init__()
        self.a = nn.Conv1d(channels, channels, 5, padding=2 * dilation, dilation=dilation, bias=False)
        self.n = nn.BatchNorm1d(channels)
        self.b = nn.Conv1d(channels, channels, 1)
        self.s1 = nn.Linear(channels, channels // 4)
        self.s2 = nn.Linear(channels // 4, channels)
        self.drop = drop

    def forward(self, x: Tensor, inside: Tensor, frames: Tensor) -> Tensor:
        h = F.relu(self.n(self.a(x)))
        # In bfloat16 training the masks are bfloat16 too: products with float32 ones would be float32 and cost twice the time.
        inside = inside.to(h.dtype)
        gate = 2 * torch.sigmoid(self.s2(F.relu(self.s1((h * inside).sum(2) / frames))))
        if self.training and self.drop > 0:
            # Whole channels are dropped: on a CPU drawing a number per channel costs nothing, per sample it is 7 % of a step.
            gate = gate * (torch.rand_like(gate) > self.drop) / (1 - self.drop)
        return x + self.b(h * gate[:, :, None].to(h.dtype)) * inside


class Network(nn.Module):
    """forward(x [N, T, 80] log-mel, x_lens [N]) -> (log probabilities [N, T / 4, 41], lengths [N])."""

    def __init__(self, channels: int = 256, drop: float = 0.05, skip: float = 0.04, middle: int = 6):
        super().__init__()
        self.c1, self.n1 = nn.Conv1d(80, channels, 5, stride=2, padding=2), nn.BatchNorm1d(channels)
        self.c2, self.n2 = nn.Conv1d(channels, channels, 5, stride=2, padding=2), nn.BatchNorm1d(channels)
        self.r = nn.ModuleList([Block(channels, dilation, drop) for dilation in DILATIONS])
        self.o, self.om = nn.Conv1d(channels, len(SYMBOLS), 1), nn.Conv1d(channels, len(SYMBOLS), 1)
        self.skip, self.middle = skip, middle

    def normalize(self, x: Tensor, lengths: Tensor) -> Tensor:
        """A floor under the loudest frame and no mean: neither gain nor a fixed filter matters."""
        inside = mask(x.shape[1], lengths).transpose(1, 2)
        loudest = (x.mean(2) - 1e4 * (1 - inside[:, :, 0])).max(1).values
        x = torch.maximum(x, (loudest - FLOOR_NATS)[:, None, None])
        mean = (x * inside).sum(1) / lengths[:, None].float()
        return (x - mean[:, None]) * inside * 0.25

    def body(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor | None, Tensor]:
        """Normalized features to (scores [N, 41, T / 4], scores of the middle head in training, lengths)."""
        half = (lengths + 1) // 2
        quarter = (half + 1) // 2
        h = F.relu(self.n1(self.c1(x.transpose(1, 2))))
        h = h * mask(h.shape[2], half).to(h.dtype)
        h = F.relu(self.n2(self.c2(h)))
        inside = mask(h.shape[2], quarter)
        h, frames, middle = h * inside.to(h.dtype), quarter[:, None].float(), None
        for i, block in enumerate(self.r):
            if self.training and random.random() < self.skip:
                continue
            h = block(h, inside, frames)
            if self.training and i + 1 == self.middle:
                middle = self.om(h)
        return self.o(h), self.om(h) if self.training and middle is None else middle, quarter

    def forward(self, x: Tensor, x_lens: Tensor) -> tuple[Tensor, Tensor]:
        scores, _, lengths = self.body(self.normalize(x, x_lens), x_lens)
        return F.log_softmax(scores.transpose(1, 2), -1), lengths


def greedy(log_probs: Tensor) -> list[int]:
    """Symbol ids of the best path, repeats and blanks removed."""
    best = log_probs.argmax(-1).tolist()
    return [symbol for symbol, before in zip(best, [0, *best], strict=False) if symbol not in (0, before)]
