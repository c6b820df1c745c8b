"""Human recordings as pools: training, development and evaluation, divided as ../shared/data/human/README.md says.

Development clips choose weights of the language model; they are cut from speakers of the training part and never trained on.
"""

import argparse
import ctypes
import subprocess
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

import pools
import corpus

def decode(path: Path) -> np.ndarray:
    """A FLAC or Ogg Opus recording as mono int16 at 16 kHz."""
    if path.suffix == ".opus":
        return decode_opus(path)
    command = ["ffmpeg", "-v", "error", "-threads", "1", "-i", path, "-ac", "1", "-ar", str(pools.RATE), "-f", "s16le", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, "<i2")


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
    return np.clip(resample_poly(np.concatenate(parts), 1, 3) * 32767, -32768, 32767).astype("<i2")


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
