"""What training reads: per clip the tokens, their durations in frames, the vocoder's parameters and the samples.

Every clip is brought to 40 ms before the first phone and 110 to 190 ms after the last one, so that the voice learns how sentences begin and
end whatever the recordings' edges are, and every speaker to one loudness.
Writes WORK/SPEAKER/features.npz with ID/tokens, ID/durations, ID/parameters [PARAMETERS, frames] (float16) and ID/samples (int16).
"""

import argparse
import json
from pathlib import Path

import numpy as np
import scipy.io.wavfile

from analysis import analyse
from frames import HOP, RATE
from symbols import TOKEN_ID, token_name

LEAD_FRAMES, TAIL_FRAMES = 5, (14, 24)
LOUDNESS = 0.085
"""Root mean square of the louder half of the frames, of full scale."""
PITCH_RANGE_HZ = {"lj": (75, 420), "kathleen": (90, 420), "slt": (90, 350), "rms": (60, 230), "awb": (60, 260), "heart": (90, 450), "michael": (60, 300)}
SILENCE_AS_PAUSE = 6
"""A silence of so many frames at a plain word boundary is a pause in training."""


def loud(samples: np.ndarray) -> float:
    frames = samples[: len(samples) // HOP * HOP].reshape(-1, HOP).astype("f8") / 32768
    power = np.sort((frames**2).mean(1))
    return float(power[len(power) // 2 :].mean())


def reframe(samples: np.ndarray, first: float, last: float, draw: np.random.RandomState) -> tuple[np.ndarray, float]:
    """Cuts or pads to the wanted edges; gives the samples (float, int16 scale) and how many seconds earlier times now are."""
    start = int(first * RATE) - LEAD_FRAMES * HOP
    end = int(last * RATE) + draw.randint(*TAIL_FRAMES) * HOP
    inside = samples[max(start, 0) : end].astype("f8")
    fade = min(220, len(inside) // 2)
    slope = 0.5 - 0.5 * np.cos(np.pi * np.arange(fade) / fade)
    inside[:fade] *= slope
    inside[len(inside) - fade :] *= slope[::-1]
    padded = np.pad(inside, (max(-start, 0), max(end - max(start, 0) - len(inside), 0)))
    return padded + draw.randn(len(padded)) * 2, start / RATE


def tokens_of(times: list[list], offset: float, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Token ids and durations in frames; durations add up to `frames`."""
    ids: list[int] = []
    durations: list[int] = []
    at = 0
    for name, stress, _, end in times:
        until = min(max(int(round((end - offset) * RATE / HOP)), at), frames)
        length = until - at
        if name == "_":
            if length >= SILENCE_AS_PAUSE:
                name = "pau"
            else:
                if ids:
                    durations[-1] += length
                    at = until
                length = 0
        ids.append(TOKEN_ID[token_name(name, stress)])
        durations.append(length)
        at = until
    durations[-1] += frames - at
    return np.array(ids), np.array(durations)


def prepare(folder: Path, speaker: str) -> str:
    table = json.loads((folder / "utterances.json").read_text())
    alignment = json.loads((folder / "alignment.json").read_text())
    draw = np.random.RandomState(5)
    sounds = {row["id"]: scipy.io.wavfile.read(folder / "22k" / f"{row['id']}.wav")[1] for row in table if row["id"] in alignment}
    gain = LOUDNESS / np.sqrt(np.mean([loud(samples) for samples in sounds.values()]))
    out: dict[str, np.ndarray] = {}
    peak = 0.0
    for key, samples in sounds.items():
        times = alignment[key]
        spoken = [row for row in times if row[0] != "_" and not row[0].startswith("pau")]
        if not times[0][0].startswith("pau"):
            times = [["pau", "0", 0.0, spoken[0][2]], *times]
        if not times[-1][0].startswith("pau"):
            times = [*times, ["pau", "0", spoken[-1][3], spoken[-1][3]]]
        wave, offset = reframe(samples * gain, spoken[0][2], spoken[-1][3], draw)
        frames = len(wave) // HOP
        wave = wave[: frames * HOP].clip(-32767, 32767).round().astype("<i2")
        peak = max(peak, float(np.abs(wave).max()) / 32768)
        out[f"{key}/tokens"], out[f"{key}/durations"] = tokens_of(times, offset, frames)
        out[f"{key}/parameters"] = analyse(wave, *PITCH_RANGE_HZ[speaker]).astype("f2")
        out[f"{key}/samples"] = wave
    np.savez(folder / "features.npz", **out)
    held = {row["id"] for row in table if row["held_out"]}
    (folder / "held_out.json").write_text(json.dumps(sorted(held & sounds.keys())))
    y = np.concatenate([out[f"{key}/parameters"] for key in sounds], 1).astype("f4")
    f0 = np.exp(y[0][y[1] > 0])
    seconds = sum(len(out[f"{key}/samples"]) for key in sounds) / RATE
    return (f"{speaker}: {len(sounds)} clips, {seconds / 60:.1f} min, gain {gain:.2f}, peak {peak:.2f}, voiced {y[1].mean():.2f}, "
            f"F0 percentiles {np.percentile(f0, [1, 5, 50, 95, 99]).round()}, periodicity {y[66:][:, y[1] > 0].mean(1).round(2)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--speakers", nargs="+", default=["lj", "kathleen", "slt", "rms"])
    options = parser.parse_args()
    for speaker in options.speakers:
        print(prepare(options.work / speaker, speaker), flush=True)


if __name__ == "__main__":
    main()
