"""Puts clean speech into rooms, telephones and noise; the labels stay those of the clean signal."""

import numpy as np
from scipy.signal import butter, fftconvolve, sosfilt

from noises import RATE
from sounds import STEP, Clip


def timeline(rng, clips: list, samples: int, silent: float, pause: float = 0.7):
    """Clips one after the other, `pause` seconds of silence between them on average. With probability `silent` there is no speech at all."""
    sound = np.zeros(samples, np.float32)
    speech = np.zeros(samples // STEP, np.float32)
    sure = np.ones(samples // STEP, np.float32)
    if rng.random() < silent:
        return sound, speech, sure
    at = int(rng.uniform(-1.5, 1.0) * 100)
    while at < len(speech):
        clip: Clip = clips[rng.integers(len(clips))]
        steps = len(clip.samples) // STEP
        begin = max(0, -at) if at < 0 else 0
        end = min(steps, len(speech) - at)
        if end > begin:
            piece = clip.samples[begin * STEP : end * STEP].astype(np.float32) / (clip.samples.std() + 1)
            fade = min(200, len(piece) // 2)
            piece[:fade] *= np.linspace(0, 1, fade)
            piece[-fade:] *= np.linspace(1, 0, fade)
            sound[(at + begin) * STEP : (at + end) * STEP] = piece * 10 ** (rng.uniform(-4, 4) / 20)
            speech[at + begin : at + end] = clip.speech[begin:end]
            sure[at + begin : at + end] = clip.sure[begin:end]
        at += steps + int(100 * rng.exponential(pause))
    return sound, speech, sure


def room(rng, sound: np.ndarray) -> np.ndarray:
    """A direct sound and an exponential tail, 10 to 40 % as strong, that falls by 60 dB within 0.1 to 0.5 s."""
    length = int(RATE * rng.uniform(0.1, 0.5))
    tail = rng.standard_normal(length) * 10 ** (-3 * np.arange(length) / length)
    tail[: int(RATE * 0.002)] = 0
    response = tail / np.sqrt((tail**2).sum()) * rng.uniform(0.1, 0.6)
    response[0] = 1
    return fftconvolve(sound, response)[: len(sound)].astype(np.float32)


def telephone(rng, sound: np.ndarray) -> np.ndarray:
    low, high = rng.uniform(80, 350), rng.uniform(3000, 3800)
    return sosfilt(butter(4, [low, high], "band", fs=RATE, output="sos"), sound).astype(np.float32)


def mix(rng, sound: np.ndarray, speech: np.ndarray, noise, snr_db: float, level_db: float) -> np.ndarray:
    """int16-valued float samples in -1..1. The ratio counts speech steps only; `level_db` is the level of the louder of both."""
    active = sound[np.repeat(speech > 0, STEP)]
    strength = np.sqrt((active**2).mean()) if len(active) else 1.0
    mixed = sound / strength
    if noise is not None:
        mixed = mixed + noise * 10 ** (-snr_db / 20)
    mixed = mixed / max(1.0, 10 ** (-snr_db / 20) if noise is not None else 0) * 10 ** (level_db / 20)
    return np.clip(np.round(mixed * 32768), -32768, 32767).astype(np.float32) / 32768
