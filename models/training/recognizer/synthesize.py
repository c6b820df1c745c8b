"""Synthetic speech for training: flite, festival and espeak-ng voices at many speeds and pitches, and Parley's own voice.

Voices that stay out of training, so that they can be evaluated: flite `awb`, festival `ked_diphone`, espeak-ng accent en-gb-scotland.
The programs are separate processes (flite, festival) or a library (espeak-ng, GPL) used here only; none of them ships with the model.
"""

import argparse
import ctypes
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.io.wavfile
from scipy.signal import resample_poly

import pools

VARIANTS = Path("/usr/lib/x86_64-linux-gnu/espeak-ng-data/voices/!v")
UNFIT = set(
    "f4 whisper whisperf croak Demonic UniRobot anikaRobot robosoft robosoft2 robosoft3 robosoft4 robosoft5 robosoft6 robosoft7 robosoft8 "
    "fast Tweaky Storm RicishayMax2 RicishayMax3".split()
) | {"Mr serious"}
"""Variants that are no voices of people, and f4, which belongs to the evaluation voice."""

ACCENTS = ["en-us"] * 6 + ["en-us-nyc"] * 2 + ["en-gb", "en-gb-x-rp", "en-029", "en-gb-x-gbclan", "en-gb-x-gbcwmd"]
SHORTEST, LONGEST = 8_000, 200_000
ESPEAK_RATE, ESPEAK_PITCH, ESPEAK_RANGE = 1, 3, 4


def flite(front_end: Path, voice: str, texts: list[str], rng: random.Random) -> list[pools.Utterance]:
    """Every sentence at its own speed (0.85 to 1.25 times as long) and pitch."""
    low, high = (70, 180) if voice == "kal16" else (0.8, 1.3)
    lines = "".join(f"{rng.uniform(0.85, 1.25):.2f}\t{rng.uniform(low, high):.2f}\t{text}\n" for text in texts)
    with tempfile.NamedTemporaryFile(suffix=".pcm") as file:
        table = subprocess.run([front_end, "speak", voice, file.name], input=lines, capture_output=True, text=True, check=True).stdout
        samples = np.fromfile(file.name, "<i2")
    found = []
    for line in table.rstrip("\n").split("\n"):
        offset, count, phones, text = line.split("\t")
        plain = tuple(phone for phone in phones.split() if phone not in ("pau", "_"))
        found.append(pools.Utterance(samples[int(offset) : int(offset) + int(count)], f"flite-{voice}", plain, text))
    return found


def to_16k(audio: np.ndarray, rate: int) -> np.ndarray:
    """int16 at any rate as int16 at 16 kHz."""
    if rate == pools.RATE:
        return audio
    common = np.gcd(rate, pools.RATE)
    return np.clip(resample_poly(audio.astype("f4"), pools.RATE // common, rate // common), -32768, 32767).astype("<i2")


def festival(front_end: Path, voice: str, texts: list[str], rng: random.Random) -> list[pools.Utterance]:
    with tempfile.TemporaryDirectory() as folder:
        script = [f"(voice_{voice})"]
        for i, text in enumerate(texts):
            script.append(f"(Parameter.set 'Duration_Stretch {rng.uniform(0.85, 1.25):.2f})")
            script.append(f'(set! u (utt.synth (Utterance Text "{text}")))(utt.save.wave u "{folder}/{i}.wav")')
        Path(folder, "all.scm").write_text("\n".join(script) + "\n")
        subprocess.run(["festival", "-b", f"{folder}/all.scm"], capture_output=True, check=False)
        made = [(text, Path(folder, f"{i}.wav")) for i, text in enumerate(texts) if Path(folder, f"{i}.wav").exists()]
        phones = pools.front_end_phones(front_end, [text for text, _ in made])
        found = []
        for (text, path), spoken in zip(made, phones, strict=True):
            rate, audio = scipy.io.wavfile.read(path)
            found.append(pools.Utterance(to_16k(audio, rate), f"festival-{voice}", spoken, text))
        return found


class Espeak:
    """espeak-ng in this process, at its own 22,050 Hz."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libespeak-ng.so.1")
        self.chunks: list[np.ndarray] = []
        self.rate = self.library.espeak_Initialize(2, 0, None, 0)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self.callback = kind(self.take)
        self.library.espeak_SetSynthCallback(self.callback)

    def take(self, wave, count: int, _events) -> int:
        if count > 0:
            self.chunks.append(np.ctypeslib.as_array(wave, (count,)).copy())
        return 0

    def say(self, voice: str, text: str, rate: int, pitch: int, pitch_range: int) -> np.ndarray:
        if self.library.espeak_SetVoiceByName(voice.encode()) != 0:
            return np.zeros(0, "<i2")
        for parameter, value in ((ESPEAK_RATE, rate), (ESPEAK_PITCH, pitch), (ESPEAK_RANGE, pitch_range)):
            self.library.espeak_SetParameter(parameter, value, 0)
        self.chunks.clear()
        data = text.encode()
        self.library.espeak_Synth(data, len(data) + 1, 0, 1, 0, 1, None, None)
        return to_16k(np.concatenate(self.chunks), self.rate) if self.chunks else np.zeros(0, "<i2")


def espeak(front_end: Path, texts: list[str], rng: random.Random, voices: list[str] | None = None) -> list[pools.Utterance]:
    """Each sentence in a random accent and variant (or a voice of `voices`), at 125 to 205 words a minute."""
    engine = Espeak()
    variants = sorted(set(os.listdir(VARIANTS)) - UNFIT)
    found = []
    for text, phones in zip(texts, pools.front_end_phones(front_end, texts), strict=True):
        voice = rng.choice(voices or [f"{rng.choice(ACCENTS)}+{rng.choice(variants)}"])
        audio = engine.say(voice, text, rng.randint(125, 205), rng.randint(20, 80), rng.randint(25, 80))
        if SHORTEST <= len(audio) <= LONGEST:
            found.append(pools.Utterance(audio, f"espeak-{voice}", phones, text))
    return found


def parley(front_end: Path, speaker: str, texts: list[str]) -> list[pools.Utterance]:
    """A speaker of models/parley-en, by the scripts of its training; needs onnxruntime and Parley built."""
    training = Path(__file__).resolve().parents[1] / "voice"
    folder = training.parents[1] / "parley-en"
    sys.path.insert(0, str(training))
    from evaluate import RATE, Speaker

    voice = Speaker(folder)
    lines = "".join(f"{i}\t{text}\n" for i, text in enumerate(texts))
    read = subprocess.run(["node", training / "front-end.mjs", folder], input=lines, capture_output=True, text=True, check=True).stdout
    phones, found = pools.front_end_phones(front_end, texts), []
    for row in map(json.loads, read.splitlines()):
        index = int(row["id"])
        samples = voice.speak("".join(row["symbols"]), speaker, row["rows"] if voice.knows(speaker) else None)
        audio = to_16k((np.clip(samples, -1, 1) * 32767).astype("<i2"), RATE)
        found.append(pools.Utterance(audio, f"parley-{speaker}", phones[index], texts[index]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Speak sentences with a classical voice and write them as a pool.")
    parser.add_argument("engine", choices=["flite", "festival", "espeak", "parley"])
    parser.add_argument("--voice", help="flite: slt rms kal16 awb; festival: cmu_us_slt_arctic_hts ked_diphone; parley: lj kathleen; espeak: one voice instead of many")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True, help="the program built from front_end.c")
    parser.add_argument("--sentences", type=Path, required=True)
    parser.add_argument("--range", type=int, nargs=2, required=True, metavar=("FROM", "TO"), help="lines of the sentence file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("out", type=Path, help="name of the pool, without ending")
    options = parser.parse_args()
    texts = options.sentences.read_text().rstrip("\n").split("\n")[slice(*options.range)]
    rng = random.Random(options.seed)
    if options.engine == "flite":
        found = flite(options.front_end, options.voice, texts, rng)
    elif options.engine == "festival":
        found = festival(options.front_end, options.voice, texts, rng)
    elif options.engine == "parley":
        found = parley(options.front_end, options.voice, texts)
    else:
        found = espeak(options.front_end, texts, rng, [options.voice] if options.voice else None)
    pools.write(options.out, found)


if __name__ == "__main__":
    main()
