"""Log-mel features as kaldi computes them (and kaldi-native-fbank, which sherpa-onnx uses).

80 bands from 20 to 7,600 Hz, 25 ms windows every 10 ms (povey), pre-emphasis 0.97, mean removed per window, no dither, windows centred
on multiples of 10 ms with mirrored edges (`snip_edges=false`), samples in [-1, 1], natural logarithm of power.
"""

import numpy as np
import torch

BANDS, FFT, WINDOW, HOP, RATE = 80, 512, 400, 160, 16_000
LOWEST, HIGHEST = 20.0, 7600.0
SMALLEST_POWER = 1.1920929e-7


def _mel(hertz: np.ndarray | float) -> np.ndarray:
    return 1127 * np.log(1 + np.asarray(hertz) / 700)


def _filters() -> torch.Tensor:
    edges = np.linspace(_mel(LOWEST), _mel(HIGHEST), BANDS + 2)
    bins = _mel(np.arange(FFT // 2) * RATE / FFT)
    rising = (bins[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins[:, None]) / (edges[2:] - edges[1:-1])
    filters = np.zeros((FFT // 2 + 1, BANDS), "f4")
    filters[: FFT // 2] = np.maximum(0, np.minimum(rising, falling))
    return torch.from_numpy(filters)


FILTERS = _filters()
POVEY = torch.from_numpy((0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / (WINDOW - 1))) ** 0.85).float()


def log_mel(audio: np.ndarray) -> torch.Tensor:
    """Samples in [-1, 1] at 16 kHz to [frames, 80]; frames = samples / 160, rounded."""
    frames = (len(audio) + HOP // 2) // HOP
    edge = (WINDOW - HOP) // 2
    mode = {"mode": "symmetric"} if len(audio) > WINDOW else {}
    padded = np.ascontiguousarray(np.pad(audio.astype("f4"), (edge, 2 * WINDOW), **mode))
    windows = torch.from_numpy(np.lib.stride_tricks.as_strided(padded, (frames, WINDOW), (HOP * 4, 4)))
    windows = windows - windows.mean(1, keepdim=True)
    emphasized = torch.zeros(frames, FFT)
    emphasized[:, 1:WINDOW] = windows[:, 1:] - 0.97 * windows[:, :-1]
    emphasized[:, 0] = 0.03 * windows[:, 0]
    emphasized[:, :WINDOW] *= POVEY
    spectrum = torch.fft.rfft(emphasized)
    return torch.log(torch.clamp((spectrum.real**2 + spectrum.imag**2) @ FILTERS, min=SMALLEST_POWER))
