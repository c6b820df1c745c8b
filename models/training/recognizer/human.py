"""Human recordings as pools: training, development and evaluation, divided by speaker.

Development clips choose weights of the language model; they are cut from speakers of the training part and never trained on.
"""

import argparse
import ctypes
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

import pools
import corpus

def decode(path: Path) -> np.ndarray:
    """A recording as mono int16 at 16 kHz: Ogg Opus, or what libsndfile reads (WAV, FLAC, MP3)."""
    if path.suffix == ".opus":
        return decode_opus(path)
    file = SoundFile()
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    opened = library.sf_open(str(path).encode(), 0x10, ctypes.byref(file))
    if not opened:
        raise ValueError(f"{path} is no recording that libsndfile knows")
    buffer = np.zeros((file.frames, file.channels), "f4")
    library.sf_readf_float.restype = ctypes.c_int64
    count = library.sf_readf_float(ctypes.c_void_p(opened), buffer.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(len(buffer)))
    library.sf_close(ctypes.c_void_p(opened))
    return to_16k(buffer[:count].mean(1), file.rate)


class SoundFile(ctypes.Structure):
    """libsndfile's SF_INFO."""

    _fields_ = [("frames", ctypes.c_int64), ("rate", ctypes.c_int), ("channels", ctypes.c_int), ("kind", ctypes.c_int * 3)]


def to_16k(audio: np.ndarray, rate: int) -> np.ndarray:
    """float32 between -1 and 1 at any rate as int16 at 16 kHz."""
    common = np.gcd(rate, pools.RATE)
    resampled = audio if rate == pools.RATE else resample_poly(audio, pools.RATE // common, rate // common)
    return np.clip(resampled * 32767, -32768, 32767).astype("<i2")


def decode_opus(path: Path) -> np.ndarray:
    """By libopusfile in this process: thousands of short clips, each a program of its own, would take longer to start than to decode."""
    library = ctypes.CDLL("libopusfile.so.0")
    library.op_open_file.restype = ctypes.c_void_p
    opened = library.op_open_file(str(path).encode(), None)
    if not opened:
        raise ValueError(f"{path} is no Ogg Opus file")
    buffer = np.zeros(5760 * 2 * 2, "f4")
    parts = []
    while (count := library.op_read_float_stereo(ctypes.c_void_p(opened), buffer.ctypes.data_as(ctypes.c_void_p), len(buffer))) > 0:
        parts.append(buffer[: 2 * count].reshape(-1, 2).mean(1))
    library.op_free(ctypes.c_void_p(opened))
    if count < 0:
        raise ValueError(f"{path}: error {count} of libopusfile")
    return to_16k(np.concatenate(parts), 48_000)


def listed(data: Path, name: str) -> list[tuple[str, Path, str, str, str]]:
    """(part, file, identity, speaker, text) of every clip of a corpus."""
    if name == "ljspeech":
        found = [(row[0], data / f"ljspeech/clips/{row[0]}.flac", "ljspeech", row[2]) for row in corpus.rows(data / "ljspeech/metadata.csv")]
    else:
        folder = data / "human" / name
        found = [(row[0], folder / f"{row[0]}.opus", row[1], row[2]) for row in corpus.rows(folder / "metadata.csv")]
    return [(corpus.part(name, i, identity), path, identity, speaker, said) for i, (identity, path, speaker, said) in enumerate(found)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Decode the human recordings into pools NAME_train, NAME_dev and NAME_eval.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("out", type=Path, help="folder of the pools")
    options = parser.parse_args()
    heldout = corpus.Heldout(corpus.spoken_texts(options.data, ("eval",)))
    corpora = ["ljspeech", *sorted(path.parent.name for path in (options.data / "human").glob("*/metadata.csv"))]
    for name in corpora:
        if any(options.out.glob(f"{name}_*.tsv")):
            print(f"{name}: is there already")
            continue
        clips = listed(options.data, name)
        kept = [clip for clip in clips if clip[0] == "eval" or clip[4] not in heldout]
        if len(kept) < len(clips):
            print(f"{name}: {len(clips) - len(kept)} clips left out, their text is spoken in an evaluation set")
        audio = [decode(clip[1]) for clip in kept]
        phones = pools.front_end_phones(options.front_end, [corpus.tidy(clip[4]) for clip in kept])
        for which in ("train", "dev", "eval"):
            chosen = [
                pools.Utterance(samples, f"{name}-{clip[3]}", spoken, clip[4])
                for clip, samples, spoken in zip(kept, audio, phones, strict=True)
                if clip[0] == which
            ]
            if chosen:
                pools.write(options.out / f"{name}_{which}", chosen)


if __name__ == "__main__":
    main()
