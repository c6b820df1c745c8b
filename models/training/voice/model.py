"""The acoustic model: tokens and a speaker to durations, and from there to the vocoder's parameters, frame by frame.

An encoder of residual convolutions with two self-attention layers reads the tokens; a small head says how long each one lasts; the
encoded tokens are repeated for so many frames; a dilated residual decoder turns them into parameters. A speaker is an embedding at
the input, a shift and a gain in every block, a low-cost change of the output layer, and the mean and spread of the parameters.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from frames import APERIODIC, BANDS, ENVELOPE, PARAMETERS, PERIODIC
from symbols import TOKENS
from vocoder import Vocoder

DILATIONS = (1, 2, 4, 2, 1)


class Block(nn.Module):
    """Residual convolution whose inner units a speaker shifts and whose result a speaker scales. Starts as the identity."""

    def __init__(self, channels: int, speakers: int, dilation: int = 1, dropout: float = 0.1) -> None:
        super().__init__()
        self.wide = nn.Conv1d(channels, channels, 5, padding=2 * dilation, dilation=dilation)
        self.point = nn.Conv1d(channels, channels, 1)
        self.shift = nn.Embedding(speakers, channels)
        self.gain = nn.Embedding(speakers, channels)
        self.dropout = dropout
        for weight in (self.point.weight, self.point.bias, self.shift.weight, self.gain.weight):
            nn.init.zeros_(weight)

    def forward(self, x: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        inner = F.relu(self.wide(x) + self.shift(speaker)[:, :, None])
        inner = F.dropout(inner, self.dropout, self.training)
        return x + self.point(inner) * (1 + self.gain(speaker)[:, :, None])


class Attention(nn.Module):
    """Residual self-attention over the tokens. Starts as the identity."""

    def __init__(self, channels: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(channels)
        self.qkv = nn.Linear(channels, 3 * channels)
        self.back = nn.Linear(channels, channels)
        nn.init.zeros_(self.back.weight)
        nn.init.zeros_(self.back.bias)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        z = self.norm(x.transpose(1, 2))
        batch, length, channels = z.shape
        q, k, v = self.qkv(z).reshape(batch, length, 3, self.heads, channels // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-1, -2)) / math.sqrt(channels // self.heads) + (mask - 1)[:, None, None, :] * 1e4
        z = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, channels)
        return x + self.back(z).transpose(1, 2)


class Durations(nn.Module):
    """log(1 + frames) of every token."""

    def __init__(self, channels: int, speakers: int, inner: int = 128) -> None:
        super().__init__()
        self.first = nn.Conv1d(channels, inner, 3, padding=1)
        self.second = nn.Conv1d(inner, inner, 3, padding=1)
        self.last = nn.Conv1d(inner, 1, 1)
        self.shift = nn.Embedding(speakers, inner)
        nn.init.zeros_(self.shift.weight)

    def forward(self, x: torch.Tensor, mask: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.first(x) + self.shift(speaker)[:, :, None]) * mask[:, None]
        x = F.relu(self.second(F.dropout(x, 0.1, self.training)))
        return self.last(x)[:, 0]


class Correction(nn.Module):
    """What the analysis gets wrong, per speaker: a linear map of the envelope and one of the periodicities."""

    def __init__(self, speakers: int) -> None:
        super().__init__()
        self.envelope = nn.Parameter(torch.eye(BANDS).repeat(speakers, 1, 1))
        self.envelope_bias = nn.Parameter(torch.zeros(speakers, BANDS))
        self.periodic = nn.Parameter(torch.eye(APERIODIC).repeat(speakers, 1, 1))
        self.periodic_bias = nn.Parameter(torch.zeros(speakers, APERIODIC))

    def forward(self, y: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        envelope = y[..., ENVELOPE] @ self.envelope[speaker].transpose(1, 2) + self.envelope_bias[speaker][:, None]
        periodic = y[..., PERIODIC] @ self.periodic[speaker].transpose(1, 2) + self.periodic_bias[speaker][:, None]
        return torch.cat([y[..., :2], envelope, periodic], -1)


class Voice(nn.Module):
    def __init__(self, speakers: int, channels: int = 192) -> None:
        super().__init__()
        self.tokens = nn.Embedding(len(TOKENS), channels)
        self.speaker = nn.Embedding(speakers, channels)
        self.position = nn.Linear(2, channels)
        self.encoder = nn.ModuleList([Block(channels, speakers) for _ in range(4)])
        self.attention = nn.ModuleList([Attention(channels) for _ in range(2)])
        self.durations = Durations(channels, speakers)
        self.place = nn.Linear(4, channels)
        self.decoder = nn.ModuleList([Block(channels, speakers, dilation) for dilation in DILATIONS])
        self.out = nn.Conv1d(channels, PARAMETERS, 1)
        self.out_change = nn.Parameter(torch.zeros(speakers, PARAMETERS, channels))
        self.register_buffer("mean", torch.zeros(speakers, PARAMETERS))
        self.register_buffer("spread", torch.ones(speakers, PARAMETERS))
        self.correction = Correction(speakers)
        self.vocoder = Vocoder()
        nn.init.zeros_(self.speaker.weight)

    def encode(self, tokens: torch.Tensor, mask: torch.Tensor, speaker: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Encoded tokens [B, C, N] and log(1 + frames) [B, N]. `mask` [B, N] is 1 for tokens, 0 for padding."""
        at, length = mask.cumsum(1), mask.sum(1, keepdim=True)
        # Positions are clamped: beyond the longest text of the training the encoder would be led astray.
        where = torch.stack([at / 50, (length - at) / 50], -1).clamp(max=3.0)
        x = self.tokens(tokens) + self.speaker(speaker)[:, None] + self.position(where)
        x = x.transpose(1, 2) * mask[:, None]
        for i, block in enumerate(self.encoder):
            x = block(x, speaker) * mask[:, None]
            if i % 2 == 1:
                x = self.attention[i // 2](x, mask) * mask[:, None]
        return x, self.durations(x, mask, speaker)

    def spread_out(self, frames_of: torch.Tensor, count, offset: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Which token each frame belongs to as a 0/1 matrix [B, count, N], whether there is one [B, count, 1], and the frame's place in it.

        `frames_of` [B, N] are durations; `offset` [B] is the first frame wanted where only a part is decoded.
        """
        end = frames_of.cumsum(1)
        start = end - frames_of
        t = torch.arange(count, device=frames_of.device).float()[None, :, None]
        if offset is not None:
            t = t + offset[:, None, None]
        owner = ((t >= start[:, None, :]) & (t < end[:, None, :])).float()
        inside = owner.sum(-1, keepdim=True)
        since = t - owner @ start[..., None]
        return owner, inside, since

    def expand(self, x: torch.Tensor, frames_of: torch.Tensor, owner: torch.Tensor, inside: torch.Tensor, since: torch.Tensor) -> torch.Tensor:
        length = owner @ frames_of[..., None]
        place = torch.cat([since / (length + 1), (length - since) / (length + 1), torch.log1p(length) / 3, since / 20], -1) * inside
        return ((owner @ x.transpose(1, 2) + self.place(place)) * inside).transpose(1, 2)

    def decode(self, h: torch.Tensor, mask: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        """Normalised parameters [B, T, PARAMETERS]; `mask` [B, 1, T]."""
        for block in self.decoder:
            h = block(h, speaker) * mask
        return (self.out(h) + self.out_change[speaker] @ h).transpose(1, 2)

    def scale(self, o: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        return o * self.spread[speaker][:, None] + self.mean[speaker][:, None]

    def normal(self, y: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        return (y - self.mean[speaker][:, None]) / self.spread[speaker][:, None]
