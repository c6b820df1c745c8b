"""Draws the spectrogram of one sentence as a reader recorded it and as the model speaks it."""

import argparse
import io
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import scipy.io.wavfile
import scipy.signal
from PIL import Image

from evaluate import Speaker, sentences
from frames import HOP, RATE


def draw(axes: plt.Axes, samples: np.ndarray, title: str) -> None:
    samples = np.append(samples[0], samples[1:] - 0.9 * samples[:-1])
    hz, seconds, power = scipy.signal.spectrogram(samples, RATE, "hann", 512, 512 - HOP, 1024)
    level = 10 * np.log10(power + 1e-14)
    top = np.percentile(level, 99.7)
    axes.pcolormesh(seconds, hz / 1000, level, vmin=top - 60, vmax=top, cmap="magma", shading="auto", rasterized=True)
    axes.set_title(title, fontsize=9)
    axes.set_ylabel("kHz")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--speaker", default="lj")
    parser.add_argument("--sentence", type=int, default=0, help="which held-out sentence")
    options = parser.parse_args()
    sentence = sentences(options.work, options.speaker)[options.sentence]
    recorded = scipy.io.wavfile.read(options.work / options.speaker / "22k" / f"{sentence.key}.wav")[1] / 32768
    made = Speaker(options.model).speak(sentence.symbols, options.speaker)
    figure, (above, below) = plt.subplots(2, 1, figsize=(10, 6), constrained_layout=True)
    draw(above, recorded, f"recording {sentence.key}: {sentence.text}")
    draw(below, made, f"parley-en, speaker {options.speaker}, its own durations and pitch")
    below.set_xlabel("s")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=72)
    Image.open(picture).convert("RGB").quantize(48).save(options.model / "spectrogram.png", optimize=True)


if __name__ == "__main__":
    main()
