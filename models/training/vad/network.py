"""Features and network. `workers/engines/vad/features.ts` computes the same features; the shipped graph is this network with its norms folded in."""

import numpy as np
import torch
from torch import nn

RATE, STEP, WINDOW, BANDS = 16_000, 160, 512, 40
LOW_HZ, HIGH_HZ, FLOOR, SHIFT, SCALE = 60.0, 7600.0, 1e-6, 6.0, 0.25
# (kernel, dilation) of each layer. The sum of (kernel - 1) * dilation is the number of neighbouring steps that one answer depends on.
LAYERS = [(5, 1), (3, 1), (3, 2), (3, 4), (3, 8), (3, 8), (3, 16)]
CHANNELS = 48
SPAN = sum((kernel - 1) * dilation for kernel, dilation in LAYERS)
FUTURE = 25
PAST = SPAN - FUTURE


def mel_bank() -> np.ndarray:
    """[WINDOW / 2 + 1, BANDS]: triangles of height 1, even on the mel scale 1127 ln(1 + f / 700), over the power at each frequency."""
    mel = lambda hz: 1127 * np.log(1 + hz / 700)
    edges = np.linspace(mel(LOW_HZ), mel(HIGH_HZ), BANDS + 2)
    at = mel(np.arange(WINDOW // 2 + 1) * RATE / WINDOW)[:, None]
    rising = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    return np.maximum(0, np.minimum(rising, falling))


class Features(nn.Module):
    """[batch, samples in -1..1] to [batch, BANDS, steps + SPAN]. Beyond both ends there is silence."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(WINDOW, periodic=True))
        self.register_buffer("bank", torch.from_numpy(mel_bank()).float())

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        steps = -(-samples.shape[1] // STEP)
        before = PAST * STEP + (WINDOW - STEP) // 2
        after = (steps + FUTURE) * STEP + (WINDOW - STEP) // 2 - samples.shape[1]
        frames = nn.functional.pad(samples, (before, after)).unfold(1, WINDOW, STEP)
        power = torch.fft.rfft(frames * self.window).abs() ** 2
        return ((torch.log(power @ self.bank + FLOOR) + SHIFT) * SCALE).transpose(1, 2)


class Detector(nn.Module):
    """[batch, BANDS, steps + SPAN] to [batch, steps]: the logit of speech."""

    def __init__(self):
        super().__init__()
        widths = [BANDS] + [CHANNELS] * len(LAYERS)
        self.convolutions = nn.ModuleList(nn.Conv1d(a, b, k, dilation=d) for (k, d), a, b in zip(LAYERS, widths, widths[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(CHANNELS) for _ in LAYERS)
        self.out = nn.Conv1d(CHANNELS, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for convolution, norm in zip(self.convolutions, self.norms):
            x = torch.relu(norm(convolution(x)))
        return self.out(x)[:, 0]

    def folded(self) -> list:
        """(weights [kernel, in, out], bias [out], dilation) of each layer with its norm folded in; the last is the output."""
        layers = []
        for convolution, norm, (_, dilation) in zip(self.convolutions, self.norms, LAYERS):
            gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            weights = convolution.weight * gain[:, None, None]
            bias = (convolution.bias - norm.running_mean) * gain + norm.bias
            layers.append((weights.permute(2, 1, 0).detach().numpy(), bias.detach().numpy(), dilation))
        layers.append((self.out.weight.permute(2, 1, 0).detach().numpy(), self.out.bias.detach().numpy(), 1))
        return layers
