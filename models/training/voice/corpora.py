"""The recordings of every speaker as 22,050 Hz and 16 kHz wave files beside the phones that flite's front end gives their text.

Human speakers come from LJSpeech and from the CC0 reader kathleen; the distilled ones are flite voices reading sentences.py's texts.
Writes WORK/SPEAKER/{22k,16k}/ID.wav and WORK/SPEAKER/utterances.json: a list of
{"id", "text", "held_out", "phones": [[name, stress, end_seconds], …]} (the times are flite's own, true only for its own sound).
"""

import argparse
import json
import subprocess
from pathlib import Path

import numpy as np
import scipy.io.wavfile
import scipy.signal

from sentences import read_lines, training_texts, unseen_texts

FLITE_RATE = 16_000


def parse_phones(field: str) -> list[list]:
    """The phones of a flite_dump line. Word boundaries beside a pause are dropped: the pause is the boundary."""
    parts = [part.rsplit(":", 2) for part in field.split()]
    phones = [[name, stress, float(end)] for name, stress, end in parts]
    near = lambda i: 0 <= i < len(phones) and phones[i][0].startswith("pau")
    return [phone for i, phone in enumerate(phones) if phone[0] != "_" or not (near(i - 1) or near(i + 1))]


def flite(dump: Path, voice: str, texts: list[str], stem: Path) -> list[tuple[int, int, list[list]]]:
    """(first sample, samples, phones) of each text, spoken by `voice`; the sound is in `stem`.pcm."""
    subprocess.run([str(dump.resolve()), voice, str(stem)], input="\n".join(texts) + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
    rows = [line.rstrip("\n").split("\t") for line in Path(f"{stem}.tsv").open(encoding="utf-8")]
    return [(int(row[0]), int(row[1]), parse_phones(row[2])) for row in rows]


def convert(source: Path, folder: Path, key: str) -> None:
    """Writes 22k/KEY.wav and 16k/KEY.wav, mono 16 bit; what is there already stays."""
    if (folder / "16k" / f"{key}.wav").exists():
        return
    form = ["-ac", "1", "-c:a", "pcm_s16le", "-map_metadata", "-1", "-fflags", "+bitexact"]
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-threads", "1", "-i", str(source),
                    "-ar", "22050", *form, str(folder / "22k" / f"{key}.wav"), "-ar", "16000", *form, str(folder / "16k" / f"{key}.wav")], check=True)


def make_folder(work: Path, speaker: str) -> Path:
    folder = work / speaker
    for rate in ("22k", "16k"):
        (folder / rate).mkdir(parents=True, exist_ok=True)
    return folder


def human(work: Path, speaker: str, clips: list[tuple[str, str, Path, bool]], dump: Path) -> None:
    """Prepares recordings: (id, text, file, held out) each."""
    folder = make_folder(work, speaker)
    spoken = flite(dump, "none", [text for _, text, _, _ in clips], folder / "phones")
    for key, _, source, _ in clips:
        convert(source, folder, key)
    table = [{"id": key, "text": text, "held_out": held, "phones": row[2]} for (key, text, _, held), row in zip(clips, spoken, strict=True)]
    (folder / "utterances.json").write_text(json.dumps(table))


def distilled(work: Path, voice: str, texts: list[tuple[str, str, bool]], dump: Path) -> None:
    """Lets a flite voice read (id, text, held out) texts."""
    folder = make_folder(work, voice)
    spoken = flite(dump, voice, [text for _, text, _ in texts], folder / "sound")
    samples = np.fromfile(folder / "sound.pcm", "<i2")
    table = []
    for (key, text, held), (first, count, phones) in zip(texts, spoken, strict=True):
        wave = samples[first : first + count]
        scipy.io.wavfile.write(folder / "16k" / f"{key}.wav", FLITE_RATE, wave)
        wide = scipy.signal.resample_poly(wave.astype("f8"), 441, 320).round().clip(-32768, 32767)
        scipy.io.wavfile.write(folder / "22k" / f"{key}.wav", 22_050, wide.astype("<i2"))
        table.append({"id": key, "text": text, "held_out": held, "phones": phones})
    (folder / "utterances.json").write_text(json.dumps(table))


def ljspeech_clips(data: Path) -> list[tuple[str, str, Path, bool]]:
    return [(key, text, data / "clips" / f"{key}.flac", key.endswith("0")) for key, text in read_lines(data / "metadata.csv")]


def kathleen_clips(data: Path) -> list[tuple[str, str, Path, bool]]:
    """Every tenth clip is held out."""
    rows = [line.rstrip("\n").split("|") for line in (data / "metadata.csv").open(encoding="utf-8")]
    return [(row[0], row[2], data / f"{row[0]}.opus", i % 10 == 9) for i, row in enumerate(rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--ljspeech", type=Path, required=True)
    parser.add_argument("--kathleen", type=Path, required=True)
    parser.add_argument("--dump", type=Path, required=True, help="the flite_dump program")
    parser.add_argument("--speakers", nargs="+", default=["lj", "kathleen", "slt", "rms"])
    parser.add_argument("--texts", type=int, default=900, help="training sentences per distilled speaker")
    options = parser.parse_args()
    lines = read_lines(options.ljspeech / "all-text.csv")
    recorded = {key for key, _ in read_lines(options.ljspeech / "metadata.csv")}
    unseen = [(key, text, True) for key, text in unseen_texts(lines, recorded, 60)]
    for speaker in options.speakers:
        if speaker == "lj":
            human(options.work, speaker, ljspeech_clips(options.ljspeech), options.dump)
        elif speaker == "kathleen":
            human(options.work, speaker, kathleen_clips(options.kathleen), options.dump)
        else:
            texts = [(f"t{i:04d}", text, False) for i, text in enumerate(training_texts(lines, options.texts, speaker))]
            distilled(options.work, speaker, texts + unseen, options.dump)
        print(speaker, "ready", flush=True)


if __name__ == "__main__":
    main()
