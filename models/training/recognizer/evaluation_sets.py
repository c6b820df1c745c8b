"""The audio that recognizers are measured on: evaluation pools as they are, in noise, and through a telephone.

Writes FOLDER/SET/0000.wav and so on, and FOLDER/SET.tsv (file TAB text). The same seed gives the same samples.
"""

import argparse
from pathlib import Path

import numpy as np
import scipy.io.wavfile
from scipy.signal import fftconvolve, firwin, resample_poly

import pools

NOISE_DB = 10.0
SETS = {
    "known": ["eval_slt", "eval_rms", "eval_espeak"],
    "awb": ["eval_awb"],
    "ked": ["eval_ked"],
    "ljspeech": ["ljspeech_eval"],
    "people": ["commonvoice_eval", "pocketsphinx_eval", "librivox_sonnet_eval", "cmu_arctic_eval", "librispeech_eval"],
    "readers": ["librispeech2_eval"],
    "spelling": ["an4_2_eval"],
    "volunteers": ["commonvoice_test_eval"],
    "testclean": ["librispeech_test_eval"],
}
"""Clean sets, by the pools they are made of. The order matters for the noise: new ones come last. The last five are people never heard."""

FIRST = {"known": 8, "awb": 24, "ked": 24}
"""How many clips of each pool are taken; all where a set is not named."""

DEGRADED = {"awb": 10, "ljspeech": 10, "people": 20, "readers": 36, "testclean": 80}
"""Sets that are also made noisy and sent through a telephone: how many of their first clips."""


def pink(rng: np.random.Generator, count: int) -> np.ndarray:
    spectrum = np.fft.rfft(rng.standard_normal(count))
    noise = np.fft.irfft(spectrum / np.sqrt(np.arange(len(spectrum)) + 20.0), count)
    return noise / noise.std()


def noisy(rng: np.random.Generator, samples: np.ndarray, index: int) -> np.ndarray:
    """White and pink noise in turn, 10 dB under the active speech (samples above 2 % of the peak)."""
    noise = pink(rng, len(samples)) if index % 2 else rng.standard_normal(len(samples))
    active = samples[np.abs(samples) > 0.02 * np.abs(samples).max()]
    mixed = samples + noise * np.sqrt((active**2).mean()) * 10 ** (-NOISE_DB / 20)
    return mixed / max(1.0, np.abs(mixed).max() / 0.95)


def telephone(_rng: np.random.Generator, samples: np.ndarray, _index: int) -> np.ndarray:
    """8 kHz, 300 to 3,400 Hz, 8-bit mu-law, back to 16 kHz."""
    narrow = fftconvolve(resample_poly(samples, 1, 2), firwin(401, [300, 3400], pass_zero=False, fs=8000), "same")
    narrow = narrow / np.abs(narrow).max() * 0.5
    code = np.round(np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log(256) * 127) / 127
    return resample_poly(np.sign(code) * np.expm1(np.abs(code) * np.log(256)) / 255, 2, 1)


def write(folder: Path, name: str, clips: list[tuple[np.ndarray, str]]) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.tsv").open("w") as table:
        for i, (samples, said) in enumerate(clips):
            path = folder / name / f"{i:04}.wav"
            scipy.io.wavfile.write(path, pools.RATE, np.clip(samples * 32767, -32768, 32767).astype("<i2"))
            table.write(f"{path.relative_to(folder)}\t{said}\n")
    print(f"{name}: {len(clips)} clips, {sum(len(samples) for samples, _ in clips) / pools.RATE:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(3)
    for name, parts in SETS.items():
        clips = [(item.audio.astype("f8") / 32768, item.text) for part in parts for item in pools.read(options.pools / part)[: FIRST.get(name)]]
        write(options.out, name, clips)
        for suffix, change in (("noise", noisy), ("phone", telephone)):
            if name in DEGRADED:
                write(options.out, f"{name}-{suffix}", [(change(rng, x, i), said) for i, (x, said) in enumerate(clips[: DEGRADED[name]])])


if __name__ == "__main__":
    main()
