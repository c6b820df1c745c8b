"""Sound that is not speech, made from random numbers: noises of many colours, hums, clicks, machines, tones, music, and the babble of a crowd."""

import numpy as np
from scipy.signal import butter, fftconvolve, lfilter, sosfilt

RATE = 16_000


def coloured(rng, n: int) -> np.ndarray:
    """Noise whose spectrum falls or rises by a random slope."""
    spectrum = np.fft.rfft(rng.standard_normal(n))
    spectrum *= np.maximum(np.arange(len(spectrum)), n * rng.uniform(5, 80) / RATE) ** (-rng.uniform(-0.3, 1.6))
    return np.fft.irfft(spectrum, n)


def band(rng, n: int) -> np.ndarray:
    low = rng.uniform(50, 4000)
    high = min(7800, low * rng.uniform(1.2, 6))
    return sosfilt(butter(3, [low, high], "band", fs=RATE, output="sos"), rng.standard_normal(n))


def wavering(rng, n: int) -> np.ndarray:
    """Noise that comes and goes: wind, surf, traffic, something rubbed."""
    rate = rng.uniform(0.2, 8)
    points = rng.uniform(0, 1, int(n / RATE * rate) + 4) ** 2
    return coloured(rng, n) * np.interp(np.arange(n) / RATE * rate, np.arange(len(points)), points)


def hum(rng, n: int) -> np.ndarray:
    t, base = np.arange(n) / RATE, rng.choice([50, 60, rng.uniform(30, 400)])
    harmonics = rng.integers(2, 20)
    return sum(rng.uniform(0, 1) / k * np.sin(2 * np.pi * base * k * t + rng.uniform(0, 6)) for k in range(1, harmonics + 1)) + 0.02 * coloured(rng, n)


def clicks(rng, n: int) -> np.ndarray:
    """Keys, knocks, claps: short bursts through a resonance."""
    train = np.zeros(n)
    count = int(n / RATE * rng.uniform(0.5, 12)) + 1
    train[rng.integers(0, n, count)] = rng.uniform(0.2, 1, count)
    length = int(RATE * rng.uniform(0.004, 0.12))
    burst = rng.standard_normal(length) * np.exp(-np.arange(length) / length * rng.uniform(4, 9))
    low = rng.uniform(80, 3000)
    burst = sosfilt(butter(2, [low, min(7500, low * rng.uniform(2, 8))], "band", fs=RATE, output="sos"), burst)
    return fftconvolve(train, burst)[:n] + 0.005 * rng.standard_normal(n) * np.abs(burst).max()


def machine(rng, n: int) -> np.ndarray:
    """A motor or fan: a wavering pulse train through resonances, and noise."""
    pitch = rng.uniform(15, 250) * (1 + 0.15 * np.interp(np.arange(n), np.linspace(0, n, 8), rng.standard_normal(8)))
    pulses = np.diff(np.floor(np.cumsum(pitch) / RATE), prepend=0)
    for _ in range(2):
        centre = rng.uniform(150, 3500)
        radius = rng.uniform(0.8, 0.98)
        pulses = lfilter([1], [1, -2 * radius * np.cos(2 * np.pi * centre / RATE), radius**2], pulses)
    return pulses / (np.abs(pulses).max() + 1e-9) + rng.uniform(0.01, 0.3) * coloured(rng, n)


def tones(rng, n: int) -> np.ndarray:
    """Beeps, dial tones, rings, sirens, sweeps."""
    t, sound, at = np.arange(n) / RATE, np.zeros(n), 0
    while at < n:
        length = int(RATE * rng.uniform(0.05, 2))
        piece = t[: min(length, n - at)]
        f0, f1 = rng.uniform(150, 4000), rng.uniform(150, 4000)
        sweep = 2 * np.pi * (f0 * piece + (rng.random() < 0.3) * (f1 - f0) * piece**2 / 2 / max(piece[-1], 0.01))
        tone = np.sin(sweep) + (rng.random() < 0.5) * np.sin(2 * np.pi * f1 * piece)
        sound[at : at + len(piece)] = tone * rng.uniform(0.2, 1)
        at += length + int(RATE * rng.choice([0, 0.05, 0.2, 1.0]))
    return sound


def music(rng, n: int) -> np.ndarray:
    """Chords and a melody of decaying or held harmonic notes with vibrato, over a drum."""
    sound, beat = np.zeros(n), int(RATE * 60 / rng.uniform(60, 180))
    scale = 110 * 2 ** (rng.integers(0, 12) / 12) * 2 ** (np.array([0, 2, 4, 5, 7, 9, 11, 12, 14, 16]) / 12)
    held, solo, brightness = rng.random() < 0.5, rng.random() < 0.35, rng.uniform(0.4, 2)
    for at in range(0, n, beat):
        for _ in range(1 if solo else rng.integers(1, 5)):
            length = min(n - at, int(beat * rng.choice([0.5, 1, 2, 4])))
            t = np.arange(length) / RATE
            pitch = rng.choice(scale) * rng.choice([0.5, 1, 1, 2])
            vibrato = rng.uniform(0, 0.01) * np.sin(2 * np.pi * rng.uniform(4, 7) * t)
            angle = 2 * np.pi * pitch * (t + vibrato / 6)
            note = sum(k**-brightness * np.sin(k * angle) for k in range(1, min(12, int(7600 / pitch)) + 1))
            shape = np.minimum(1, t / 0.02) * (np.minimum(1, (t[-1] - t) / 0.05 + 1e-3) if held else np.exp(-t * rng.uniform(1, 6)))
            sound[at : at + length] += note * shape * rng.uniform(0.2, 1)
        if rng.random() < 0.7:
            length = min(n - at, 3000)
            sound[at : at + length] += rng.uniform(0.3, 2) * rng.standard_normal(length) * np.exp(-np.arange(length) / rng.uniform(100, 900))
    return sound


def plucked(rng, n: int) -> np.ndarray:
    """Karplus-Strong strings. Used in evaluation only."""
    sound = np.zeros(n)
    for at in range(0, n, int(RATE * rng.uniform(0.15, 0.5))):
        period = int(RATE / rng.uniform(80, 700))
        length = min(n - at, RATE)
        excitation = np.zeros(length)
        excitation[: min(period, length)] = rng.uniform(-1, 1, min(period, length))
        sound[at : at + length] += lfilter([1], np.r_[1, np.zeros(period - 1), -0.498, -0.498], excitation)
    return sound


def chirps(rng, n: int) -> np.ndarray:
    """Birds: short sweeps between 2 and 6 kHz, trilled. Used in evaluation only."""
    sound, at = 0.01 * coloured(rng, n), 0
    while at < n:
        length = min(n - at, int(RATE * rng.uniform(0.05, 0.3)))
        t = np.arange(length) / RATE
        pitch = rng.uniform(2000, 5000) + rng.uniform(-4000, 4000) * t + 300 * np.sin(2 * np.pi * rng.uniform(10, 40) * t)
        sound[at : at + length] += np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * np.hanning(length)
        at += length + int(RATE * rng.uniform(0.05, 0.8))
    return sound


def babble(rng, n: int, clips: list) -> np.ndarray:
    """A crowd: 7 to 14 voices at once, each looped from a random place. Fewer would be someone speaking."""
    sound = np.zeros(n)
    for _ in range(rng.integers(7, 15)):
        clip = clips[rng.integers(len(clips))].samples.astype(np.float64)
        sound += np.roll(np.resize(clip, n), rng.integers(n)) / (clip.std() + 1) * rng.uniform(0.5, 1)
    return sound


TRAINING = [coloured, coloured, band, wavering, wavering, hum, clicks, machine, tones, music, music, music, music]
EVALUATION = {"white to brown": coloured, "wavering": wavering, "clicks": clicks, "machine": machine, "music": music, "strings": plucked, "birds": chirps}


def unit(sound: np.ndarray) -> np.ndarray:
    return (sound / (np.sqrt((sound**2).mean()) + 1e-9)).astype(np.float32)
