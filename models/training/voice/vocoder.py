"""The vocoder: a pulse train and fixed noise through a minimum-phase filter. It has no learned weights.

Everything is a matrix product or elementwise, so it exports cleanly.
"""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from frames import APERIODIC_HZ, BAND_HZ, BINS, ENVELOPE, HOP, NOISE_PERIODS, PERIODIC, RATE, WINDOW, triangles


def minimum_phase() -> np.ndarray:
    """The phase that a minimum-phase filter has per unit of log envelope in each band, [BANDS, BINS], by the cepstrum."""
    size = 4096
    grid = np.arange(size // 2 + 1) * RATE / size
    cepstrum = np.fft.irfft(triangles(grid, BAND_HZ), size)
    fold = np.zeros(size)
    fold[[0, size // 2]] = 1
    fold[1 : size // 2] = 2
    phase = np.fft.rfft(cepstrum * fold).imag
    return np.stack([np.interp(np.arange(BINS) * RATE / WINDOW, grid, row) for row in phase])


def transforms() -> tuple[np.ndarray, np.ndarray]:
    """Windowed DFT [WINDOW, 2 BINS] (cosines, then negated sines) and its windowed inverse [2 BINS, WINDOW]."""
    window = np.hanning(WINDOW + 1)[:-1]
    angle = 2 * np.pi * np.outer(np.arange(WINDOW), np.arange(BINS)) / WINDOW
    twice = np.full(BINS, 2.0)
    twice[[0, -1]] = 1
    forward = np.concatenate([np.cos(angle), -np.sin(angle)], 1) * window[:, None]
    inverse = np.concatenate([np.cos(angle) * twice, -np.sin(angle) * twice], 1).T / WINDOW * window / 1.5
    return forward, inverse


class Vocoder(nn.Module):
    """Parameters [B, T, PARAMETERS] and noise [B, T, HOP] to samples [B, T, HOP]."""

    def __init__(self) -> None:
        super().__init__()
        forward, inverse = transforms()
        draw = np.random.RandomState(7)
        frequency = np.arange(BINS) * RATE / WINDOW
        constants = {
            "noise_a": draw.randn(NOISE_PERIODS[0], HOP), "noise_b": draw.randn(NOISE_PERIODS[1], HOP), "ramp": np.arange(HOP) / HOP,
            "dft": forward, "idft": inverse, "spread": triangles(frequency, BAND_HZ), "phase": minimum_phase(),
            "mix": triangles(frequency, APERIODIC_HZ),
        }
        for name, value in constants.items():
            self.register_buffer(name, torch.tensor(value, dtype=torch.float32), persistent=False)

    def noise(self, frames) -> torch.Tensor:
        """The same noise on every call: two tables of 37 and 41 frames, which together repeat after 12 seconds."""
        t = torch.arange(frames, device=self.noise_a.device)
        return (self.noise_a[t % NOISE_PERIODS[0]] + self.noise_b[t % NOISE_PERIODS[1]]) * math.sqrt(0.5)

    def analyse(self, blocks: torch.Tensor) -> torch.Tensor:
        padded = F.pad(blocks, (0, 0, 2, 2))
        return torch.cat([padded[:, 0:-4], padded[:, 1:-3], padded[:, 2:-2], padded[:, 3:-1]], -1) @ self.dft

    def overlap(self, spectrum: torch.Tensor) -> torch.Tensor:
        a, b, c, d = (spectrum @ self.idft).split(HOP, -1)
        shift = lambda block, before, after: F.pad(block, (0, 0, before, after))
        return c + shift(d, 1, 0)[:, :-1] + shift(b, 0, 1)[:, 1:] + shift(a, 0, 2)[:, 2:]

    def pulses(self, log_f0: torch.Tensor, last: torch.Tensor | None = None) -> torch.Tensor:
        """A band-limited pulse train (Dirichlet kernel) whose period glides from frame to frame. `last` marks each row's last frame."""
        f = torch.exp(log_f0) / RATE
        ahead = torch.cat([f[:, 1:], f[:, -1:]], 1)
        if last is not None:
            ahead = torch.where(last, f, ahead)
        step = f.unsqueeze(-1) + (ahead - f).unsqueeze(-1) * self.ramp
        turns = step.sum(-1)
        turns = turns - torch.floor(turns)  # whole turns are dropped early, so that the running sum keeps its precision
        base = torch.cumsum(turns, 1) - turns
        base = base - torch.floor(base)
        phase = base.unsqueeze(-1) + f.unsqueeze(-1) * (self.ramp * HOP) + (ahead - f).unsqueeze(-1) * (self.ramp * self.ramp * (HOP / 2))
        phase = phase - torch.floor(phase + 0.5)
        harmonics = torch.floor(0.5 / step)
        sine = torch.sin(math.pi * phase)
        regular = torch.abs(sine) > 1e-4
        kernel = torch.sin((2 * harmonics + 1) * math.pi * phase) / torch.where(regular, sine, torch.ones_like(sine))
        return torch.where(regular, kernel, 2 * harmonics + 1) * torch.sqrt(step)

    def forward(self, y: torch.Tensor, noise: torch.Tensor, mask: torch.Tensor | None = None, last: torch.Tensor | None = None) -> torch.Tensor:
        """`mask` [B, T, 1] and `last` [B, T] keep what lies beyond a row's end out of its sound."""
        voiced = y[..., 1:2]
        pulses = self.pulses(y[..., 0], last)
        if mask is not None:
            pulses, noise = pulses * mask, noise * mask
        tonal, breath = self.analyse(pulses), self.analyse(noise)
        share = torch.clamp(torch.clamp(y[..., PERIODIC], 0.0, 0.999) @ self.mix, 0.0, 0.999) * voiced
        envelope = torch.clamp(y[..., ENVELOPE], -14, 3)
        gain, phase = torch.exp(envelope @ self.spread), envelope @ self.phase
        if mask is not None:
            gain = gain * mask
        gain_tonal = gain * torch.sqrt(share + 1e-5) * voiced
        gain_breath = gain * torch.sqrt(1 - share + 1e-5)
        real = tonal[..., :BINS] * gain_tonal + breath[..., :BINS] * gain_breath
        imaginary = tonal[..., BINS:] * gain_tonal + breath[..., BINS:] * gain_breath
        cosine, sine = torch.cos(phase), torch.sin(phase)
        return self.overlap(torch.cat([real * cosine - imaginary * sine, real * sine + imaginary * cosine], -1))
