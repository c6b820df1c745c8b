"""What happens to a clip before the network gets it in training: other speeds, rooms, noises and lines."""

import random
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

import pools

RATE = pools.RATE
NOISE_SAMPLES = 60 * RATE


def coloured(rng: np.random.Generator, slope: float) -> np.ndarray:
    """A minute of noise with power falling by `slope` over frequency: 0 white, 1 pink, 2 brown."""
    spectrum = rfft(rng.standard_normal(NOISE_SAMPLES).astype("f4"))
    frequency = np.arange(len(spectrum)) + 20.0
    return _unit(irfft(spectrum * frequency ** (-slope / 2), NOISE_SAMPLES))


def _unit(samples: np.ndarray) -> np.ndarray:
    return (samples / samples.std()).astype("f4")


def babble(rng: random.Random, clips: list[np.ndarray], voices: int) -> np.ndarray:
    """A minute of `voices` people talking at once."""
    mix = np.zeros(NOISE_SAMPLES, "f4")
    for _ in range(voices):
        position = 0
        while position < NOISE_SAMPLES:
            clip = rng.choice(clips).astype("f4")[: NOISE_SAMPLES - position]
            mix[position : position + len(clip)] += clip / (clip.std() + 1)
            position += len(clip)
    return _unit(mix)


def hum(noise: np.ndarray) -> np.ndarray:
    time = np.arange(NOISE_SAMPLES) / RATE
    return _unit(sum(np.sin(2 * np.pi * 60 * k * time + k) / k for k in range(1, 8)) + 0.3 * noise)


def unsteady(rng: np.random.Generator, noise: np.ndarray) -> np.ndarray:
    """Noise that swells and fades every fraction of a second, like traffic or handling."""
    points = np.exp(rng.normal(0, 1.0, NOISE_SAMPLES // 4000 + 2))
    return _unit(noise * np.interp(np.arange(NOISE_SAMPLES), np.arange(len(points)) * 4000, points))


def room(rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """An impulse response: the direct sound and a decaying tail."""
    seconds = rng.uniform(0.08, 0.7)
    length = int(RATE * min(seconds * 0.7, 0.4))
    response = noise.standard_normal(length) * 10 ** (-3 * np.arange(length) / RATE / seconds) * rng.uniform(0.03, 0.3)
    response[: rng.randint(8, 80)] = 0
    response[0] = 1
    return response.astype("f4")


def companded(samples: np.ndarray) -> np.ndarray:
    """Through 8-bit mu-law, as on a telephone line."""
    code = np.round(np.sign(samples) * np.log1p(255 * np.abs(samples)) / np.log(256) * 127) / 127
    return (np.sign(code) * np.expm1(np.abs(code) * np.log(256)) / 255).astype("f4")


@dataclass(frozen=True)
class Strength:
    """How often and how far clips are changed."""

    noisy: float = 0.5
    snr_db: tuple[float, float] = (0.0, 25.0)
    roomy: float = 0.25
    telephone: float = 0.28
    sped: float = 0.6
    speed: tuple[float, float] = (0.86, 1.17)


LIGHT = Strength(noisy=0.25, snr_db=(5.0, 25.0), roomy=0.15, telephone=0.15, sped=0.15, speed=(0.95, 1.05))
LEAST = Strength(noisy=0.15, snr_db=(5.0, 25.0), roomy=0.05, telephone=0.1, sped=0)
STRENGTHS = {"full": Strength(), "light": LIGHT, "least": LEAST}
"""What train.py's `--augment` names. A network that knows the clips of its training no better than others learns faster from little changed ones."""


class Augmenter:
    """Makes training samples from clips. `clips` are what the babble is made of."""

    def __init__(self, clips: list[np.ndarray], seed: int, strength: Strength | None = None):
        self.rng, self.strength = random.Random(seed), strength or Strength()
        noise = np.random.default_rng(seed)
        steady = [coloured(noise, slope) for slope in (0, 0.5, 1, 1.5, 2)]
        self.noises = [*steady, *steady[:3], babble(self.rng, clips, 7), babble(self.rng, clips, 3), hum(steady[2])]
        self.noises += [unsteady(noise, steady[1]), unsteady(noise, steady[2])]
        self.rooms = [room(self.rng, noise) for _ in range(80)]
        self.noise = noise

    def changed(self, audio: np.ndarray) -> np.ndarray:
        """int16 samples to float32 samples in [-1, 1] with another speed, line, noise and loudness."""
        rng, strength = self.rng, self.strength
        samples = audio.astype("f4") / 32768
        if rng.random() < strength.sped:
            step = rng.uniform(*strength.speed)
            samples = np.interp(np.arange(0, len(samples) - 1, step, dtype="f4"), np.arange(len(samples), dtype="f4"), samples).astype("f4")
        on_the_phone = rng.random() < strength.telephone
        samples = self._filtered(samples, on_the_phone)
        if rng.random() < strength.noisy:
            noise = rng.choice(self.noises)
            start = rng.randint(0, len(noise) - len(samples) - 1)
            level = self._speech_level(samples) * 10 ** (-rng.uniform(*strength.snr_db) / 20)
            samples = samples + level * noise[start : start + len(samples)]
        samples = samples * (10 ** rng.uniform(-1.3, 0) / (np.abs(samples).max() + 1e-6))
        if rng.random() < 0.05:
            limit = rng.uniform(0.3, 0.8) * np.abs(samples).max()
            samples = np.clip(samples, -limit, limit)
        if on_the_phone and rng.random() < 0.7:
            samples = companded(samples)
        return samples + 3e-5 * self.noise.standard_normal(len(samples), dtype="f4")

    @staticmethod
    def _speech_level(samples: np.ndarray) -> float:
        """Root mean square of the louder half of the 10 ms pieces: pauses do not count as speech."""
        whole = samples[: len(samples) // 160 * 160].reshape(-1, 160)
        power = np.sort((whole**2).mean(1))
        return float(np.sqrt(power[len(power) // 2 :].mean() + 1e-12))

    def _filtered(self, samples: np.ndarray, on_the_phone: bool) -> np.ndarray:
        rng = self.rng
        roomy, limited = rng.random() < self.strength.roomy, on_the_phone or rng.random() < 0.08
        if not (roomy or limited):
            return samples
        size = next_fast_len(len(samples) + 6400, True)
        spectrum = rfft(samples, size)
        if roomy:
            spectrum = spectrum * rfft(rng.choice(self.rooms), size)
        if limited:
            frequency = np.arange(len(spectrum)) * (RATE / size)
            low = rng.uniform(100, 340) if on_the_phone else rng.uniform(0, 200)
            high = rng.uniform(3200, 3900) if on_the_phone else rng.uniform(3800, 7000)
            spectrum = spectrum * (1 / (1 + np.exp(-(frequency - low) / 25)) / (1 + np.exp((frequency - high) / 60))).astype("f4")
        return irfft(spectrum, size)[: len(samples)].astype("f4")
