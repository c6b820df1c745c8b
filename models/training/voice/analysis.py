"""From samples to the vocoder's parameters: F0 by autocorrelation and Viterbi, a pitch-synchronous envelope, periodicity per band."""

import numpy as np
import scipy.fft as sf
import scipy.signal as ss

from frames import APERIODIC_HZ, BAND_HZ, BANDS, ENVELOPE, HOP, PARAMETERS, PERIODIC, RATE, triangles

SIZE = 1024
LOWEST_HZ = 60.0
GRID_HZ = LOWEST_HZ * 1.015 ** np.arange(0, 134)
"""The pitches for which analysis windows are kept ready."""
_BIN_HZ = np.arange(SIZE // 2 + 1) * RATE / SIZE


def _windows(periods: float) -> np.ndarray:
    """Hann windows of a number of pitch periods, for every pitch of the grid."""
    length = np.minimum(periods * RATE / GRID_HZ, SIZE)[:, None]
    at = np.arange(SIZE) - SIZE // 2
    return np.where(np.abs(at) < length / 2, 0.5 + 0.5 * np.cos(2 * np.pi * at / length), 0).astype("f4")


def _band_means() -> np.ndarray:
    """Triangular means of the bins into the envelope's bands, [SIZE/2+1, BANDS]."""
    out = np.zeros((SIZE // 2 + 1, BANDS), "f4")
    for band, centre in enumerate(BAND_HZ):
        below = BAND_HZ[band - 1] if band else -48
        above = BAND_HZ[band + 1] if band + 1 < BANDS else RATE / 2 + 430
        weights = np.maximum(0, np.minimum((_BIN_HZ - below) / (centre - below), (above - _BIN_HZ) / (above - centre)))
        if weights.sum() < 1.2:
            weights = np.maximum(0, 1 - np.abs(_BIN_HZ - centre) / (RATE / SIZE))
        out[:, band] = weights / weights.sum()
    return out


_SHORT, _LONG = _windows(3), _windows(4)
_SHORT_POWER = (_SHORT**2).sum(1)
_LONG_LAGS = sf.irfft(np.abs(sf.rfft(_LONG, 2 * SIZE)) ** 2)[:, :SIZE]
_LONG_LAGS = _LONG_LAGS / _LONG_LAGS[:, :1]
_QUEFRENCY = np.minimum(np.arange(SIZE), SIZE - np.arange(SIZE)) / RATE
_SMOOTH = np.sinc(GRID_HZ[:, None] * _QUEFRENCY * 2 / 3).astype("f4")
_LIFTER = (np.sinc(GRID_HZ[:, None] * _QUEFRENCY) * (1.18 - 0.18 * np.cos(2 * np.pi * _QUEFRENCY * GRID_HZ[:, None]))).astype("f4")
_TO_BANDS = _band_means()
_TO_APERIODIC = triangles(_BIN_HZ, APERIODIC_HZ).T.astype("f4")


def _autocorrelation(samples: np.ndarray, lowest: float) -> tuple[np.ndarray, np.ndarray]:
    """Normalised autocorrelation of 51 ms frames at half the rate, [frames, lags], and the energy of each frame."""
    half = ss.resample_poly(samples.astype("f8"), 1, 2)
    hop, width = HOP // 2, 560
    window = np.hanning(width + 1)[:-1]
    padded = np.pad(half, (width // 2, width // 2 + hop))
    frames = np.lib.stride_tricks.sliding_window_view(padded, width)[::hop][: len(samples) // HOP]
    frames = ((frames - frames.mean(1, keepdims=True)) * window).astype("f4")
    lags = int(RATE / 2 / lowest) + 2
    found = sf.irfft(np.abs(sf.rfft(frames, SIZE)) ** 2)[:, :lags].astype("f8")
    own = sf.irfft(np.abs(sf.rfft(window, SIZE)) ** 2)[:lags]
    energy = found[:, 0].copy()
    return found / (energy[:, None] + 1e-9) / (own / own[0]), energy


def _best_path(lags: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Which of its candidates each frame takes, by Viterbi: leaps cost 1.5 per octave."""
    octaves = np.log2(lags)
    frames = len(lags)
    best, back = scores[0].copy(), np.zeros(lags.shape, int)
    for t in range(1, frames):
        reach = best[None, :] - 1.5 * np.abs(octaves[t][:, None] - octaves[t - 1][None, :])
        back[t] = reach.argmax(1)
        best = reach.max(1) * 0.999 + scores[t]
    path = np.zeros(frames, int)
    path[-1] = best.argmax()
    for t in range(frames - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def track_pitch(samples: np.ndarray, lowest: float, highest: float, least: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """F0 in Hz and voicing of every frame; a voiced one repeats itself with a correlation above `least`."""
    rate = RATE / 2
    curve, energy = _autocorrelation(samples, lowest)
    lag = np.arange(curve.shape[1])
    score = curve - 0.025 * np.log2(np.maximum(lag, 1) / (rate / highest))
    score[:, : int(rate / highest)] = -1
    inner = score[:, 1:-1]
    peaks = np.where((inner > score[:, :-2]) & (inner >= score[:, 2:]), inner, -2)
    candidates = np.argsort(-peaks, 1)[:, :6]
    path = _best_path(candidates + 1, np.take_along_axis(peaks, candidates, 1))
    rows = np.arange(len(path))
    chosen = candidates[rows, path] + 1
    left, middle, right = curve[rows, chosen - 1], curve[rows, chosen], curve[rows, np.minimum(chosen + 1, curve.shape[1] - 1)]
    offset = 0.5 * (left - right) / (left - 2 * middle + right - 1e-9)
    voiced = (middle > least) & (energy > energy.max() * 1e-4)
    return rate / (chosen + np.clip(offset, -0.5, 0.5)), np.convolve(voiced, [1, 1, 1], "same") >= 2


def _refine(power: np.ndarray, f0: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moves F0 by up to 1.2 % to where the frame repeats best; gives it and the periodic share of each band."""
    bands, total = power @ _TO_APERIODIC + 1e-9, power[:, :186].sum(1) + 1e-9
    turns = 2 * np.pi * np.arange(SIZE // 2 + 1) / SIZE
    best_score, best_share, best_move = np.full(len(f0), -np.inf), np.zeros(bands.shape), np.zeros(len(f0))
    for move in (-0.012, -0.006, 0, 0.006, 0.012):
        period = RATE / (f0 * (1 + move))
        weighted = np.cos((period[:, None] * turns).astype("f4")) * power
        own = np.take_along_axis(_LONG_LAGS[k], np.clip(np.round(period), 0, SIZE - 1).astype(int)[:, None], 1)[:, 0]
        score = weighted[:, :186].sum(1) / total
        best_share = np.maximum(best_share, (weighted @ _TO_APERIODIC) / bands / np.maximum(own, 0.2)[:, None])
        better = score > best_score
        best_score, best_move = np.where(better, score, best_score), np.where(better, move, best_move)
    return f0 * (1 + best_move), np.clip(best_share, 0, 1)


def analyse(samples: np.ndarray, lowest: float = 75.0, highest: float = 420.0) -> np.ndarray:
    """Parameters [PARAMETERS, frames] of int16 samples."""
    samples = samples.astype("f4") / 32768
    count = len(samples) // HOP
    f0, voiced = track_pitch(samples, lowest, highest)
    padded = np.pad(samples, (SIZE // 2, SIZE // 2 + HOP))
    frames = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP][:count]
    k = np.clip(np.round(np.log(np.where(voiced, f0, 220.0) / LOWEST_HZ) / np.log(1.015)).astype(int), 0, len(GRID_HZ) - 1)
    power = np.abs(sf.rfft(frames * _LONG[k])) ** 2
    power[:, :4] = 0
    f0, share = _refine(power, f0, k)
    smooth = np.abs(sf.rfft(frames * _SHORT[k])) ** 2 / _SHORT_POWER[k][:, None] + 1e-9
    smooth = np.log(np.maximum(sf.rfft(sf.irfft(smooth) * _SMOOTH[k]).real, 1e-9))
    envelope = sf.rfft(sf.irfft(smooth) * _LIFTER[k]).real * 0.5
    y = np.zeros((PARAMETERS, count), "f4")
    heard = np.where(voiced)[0]
    y[0] = np.interp(np.arange(count), heard, np.log(f0[heard])) if len(heard) else np.log(200)
    y[1] = voiced
    y[ENVELOPE] = (envelope @ _TO_BANDS).T
    y[PERIODIC] = (share * voiced[:, None]).T
    return y
