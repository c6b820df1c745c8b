"""Measures the shipped voice and prints the tables of its card.

For every speaker, on texts that no training saw: pocketsphinx's word error rate beside that of the reference (the reader's own recordings,
or the flite voice that was distilled), mel-cepstral distortion and F0 error along the best time alignment, and lengths. Then the real-time
factor of one thread. Needs the WORK folder of corpora.py, for the references and flite's phones of the texts; with WORK/parley of prosody_corpora.py
phones and columns are those of Parley's own front end, and each speaker that the prosody graph knows is measured without and with it.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import scipy.fft
import scipy.io.wavfile
import scipy.signal

from analysis import track_pitch
from features import PITCH_RANGE_HZ
from frames import HOP, NEUTRAL, RATE
from recognize import difference_interval, rate, transcribe, word_errors
from symbols import ids_of, symbols_of, token_name

COUNT = 60
SURELY_VOICED = 0.65
"""The tracker calls 5 to 7 % of frames voiced that Praat does not; above this correlation of a frame with itself it is 1 to 4 %."""


@dataclass
class Sentence:
    key: str
    text: str
    symbols: str
    rows: list[list[int] | None] | None
    """The front end's columns of each symbol; None where another front end gave the symbols."""


class Speaker:
    """One speaker of the model, on one thread."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.numbers = json.loads((folder / "model.onnx.json").read_text(encoding="utf-8"))["speaker_id_map"]
        self.prosody = ProsodyGraph(folder) if (folder / "prosody.onnx").exists() else None

    def knows(self, speaker: str) -> bool:
        """Whether the prosody graph has learned from this speaker."""
        return self.prosody is not None and self.prosody.own_range[self.numbers[speaker]] < 1

    def speak(self, symbols: str, speaker: str, rows: list[list[int] | None] | None = None) -> np.ndarray:
        """Samples of a text; with the front end's columns `rows` of its symbols, as the prosody graph has it read."""
        return self.speak_timed(symbols, speaker, rows)[0]

    def speak_timed(self, symbols: str, speaker: str, rows: list[list[int] | None] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Samples of a text, and the frames of each id."""
        ids = np.array([ids_of(symbols)], dtype=np.int64)
        scales = NEUTRAL if rows is None or self.prosody is None else self.prosody.scales(ids[0], rows, self.numbers[speaker])
        feeds = {"input": ids, "input_lengths": np.array([ids.shape[1]]), "scales": np.array(scales, dtype=np.float32),
                 "sid": np.array([self.numbers[speaker]])}
        samples, durations = self.session.run(["output", "durations"], feeds)
        return samples.reshape(-1), durations[0]


class ProsodyGraph:
    """The graph that predicts pitch from words and sentences, and what Parley's engine does with it (`layouts/parley-en.ts`)."""

    def __init__(self, folder: Path) -> None:
        self.session = onnxruntime.InferenceSession(str(folder / "prosody.onnx"), providers=["CPUExecutionProvider"])
        self.own_range = json.loads((folder / "prosody.json").read_text(encoding="utf-8"))["ownRange"]

    def scales(self, ids: np.ndarray, rows: list[list[int] | None], speaker: int) -> np.ndarray:
        """The graph's `scales`, with the pitch of each id."""
        narrowed = (self.own_range[speaker] * (0.6 + 0.5 * NEUTRAL[2]) - 0.6) / 0.5
        places = np.array([2 + 2 * i for i, row in enumerate(rows) if row is not None])
        feeds = {"symbols": ids[places], "columns": np.array([row for row in rows if row is not None]), "speaker": np.array([speaker]),
                 "range": np.array([narrowed], dtype=np.float32)}
        offsets = np.zeros(len(ids), dtype=np.float32)
        offsets[places] = self.session.run(["pitch"], feeds)[0]
        return np.concatenate([[NEUTRAL[0], NEUTRAL[1], narrowed, NEUTRAL[3]], offsets, np.ones(len(ids))]).astype(np.float32)


def sentences(work: Path, speaker: str) -> list[Sentence]:
    """The first COUNT held-out sentences of a speaker."""
    table = [row for row in json.loads((work / speaker / "utterances.json").read_text()) if row["held_out"]][:COUNT]
    columns = work / speaker / "columns.json"
    rows = {key: value["rows"] for key, value in json.loads(columns.read_text()).items()} if columns.exists() else {}
    symbols = lambda row: symbols_of([token_name(name, stress) for name, stress, _ in row["phones"]])
    return [Sentence(row["id"], row["text"], symbols(row), rows.get(row["id"])) for row in table]


def write(folder: Path, key: str, samples: np.ndarray) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if not np.isfinite(samples).all():
        raise SystemExit(f"{key}: the voice gave samples that are no numbers")
    scipy.io.wavfile.write(folder / f"{key}_22.wav", RATE, (samples * 32767).round().astype("<i2"))
    low = scipy.signal.resample_poly(samples.astype("f8"), 320, 441)
    path = folder / f"{key}.wav"
    scipy.io.wavfile.write(path, 16_000, (low * 32767).round().clip(-32768, 32767).astype("<i2"))
    return path


@dataclass
class Pitch:
    """F0 (Hz) of what was made and of the reference, of one sentence, in frames where both are voiced, and whether they surely are."""

    made: np.ndarray
    true: np.ndarray
    sure: np.ndarray


def _mel_filters(count: int = 40, size: int = 1024) -> np.ndarray:
    mel = lambda hz: 2595 * np.log10(1 + hz / 700)
    edges = 700 * (10 ** (np.linspace(mel(60), mel(7800), count + 2) / 2595) - 1)
    hz = np.arange(size // 2 + 1) * RATE / size
    return np.stack([np.maximum(0, np.minimum((hz - a) / (b - a), (c - hz) / (c - b))) for a, b, c in zip(edges, edges[1:], edges[2:])])


_FILTERS = _mel_filters()


def cepstra(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mel-cepstra c1 to c24 (of log amplitude, up to 7.8 kHz) per HOP samples, and the level of each frame in dB."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(samples, 512), 1024)[::HOP][: len(samples) // HOP]
    power = np.abs(scipy.fft.rfft(frames * np.hanning(1024))) ** 2
    rows = scipy.fft.dct(np.log(power @ _FILTERS.T + 1e-6), norm="ortho")
    return rows[:, 1:25] / np.sqrt(2 * len(_FILTERS)), 10 * np.log10(power.sum(1) + 1e-12)


def warp(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Dynamic time warping: the indices of `a` and `b` along the cheapest path."""
    cost = np.sqrt(np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T, 0))
    total = np.full((len(a) + 1, len(b) + 1), np.inf)
    total[0, 0] = 0
    for i in range(len(a)):
        for j in range(max(0, i * len(b) // len(a) - 150), min(len(b), i * len(b) // len(a) + 150)):
            total[i + 1, j + 1] = cost[i, j] + min(total[i, j], total[i, j + 1], total[i + 1, j])
    i, j, path = len(a), len(b), []
    while i > 0 and j > 0:
        path.append((i - 1, j - 1))
        step = int(np.argmin([total[i - 1, j - 1], total[i - 1, j], total[i, j - 1]]))
        i, j = i - (step != 2), j - (step != 1)
    rows = np.array(path[::-1])
    return rows[:, 0], rows[:, 1]


def likeness(made: np.ndarray, true: np.ndarray, speaker: str) -> tuple[float, "Pitch"]:
    """Mel-cepstral distortion in dB, and the pitch of both, aligned; int16-scale samples."""
    (a, _), (b, level) = cepstra(made / 32768), cepstra(true / 32768)
    i, j = warp(a[::2], b[::2])
    i, j = np.minimum(i * 2, len(a) - 1), np.minimum(j * 2, len(b) - 1)
    loud = level[j] > level.max() - 45
    distortion = 10 / np.log(10) * np.sqrt(2 * ((a[i] - b[j]) ** 2).sum(1))[loud].mean()
    (f, v), (g, w) = track_pitch(made, *PITCH_RANGE_HZ[speaker]), track_pitch(true, *PITCH_RANGE_HZ[speaker])
    i, j = np.minimum(i, len(f) - 1), np.minimum(j, len(g) - 1)
    both = v[i] & w[j]
    (_, sure), (_, true_sure) = (track_pitch(samples, *PITCH_RANGE_HZ[speaker], SURELY_VOICED) for samples in (made, true))
    return distortion, Pitch(f[i][both], g[j][both], (sure[i] & true_sure[j])[both])


def semitone_spread(hz: np.ndarray) -> float:
    return float((12 * np.log2(hz)).std())


def correlation(pitches: list[Pitch], only_sure: bool = False) -> float:
    made = np.concatenate([pitch.made[pitch.sure] if only_sure else pitch.made for pitch in pitches])
    true = np.concatenate([pitch.true[pitch.sure] if only_sure else pitch.true for pitch in pitches])
    return float(np.corrcoef(np.log(made), np.log(true))[0, 1])


def correlation_interval(new: list[Pitch], old: list[Pitch], only_sure: bool, draws: int = 1000) -> tuple[float, float]:
    """95 % interval of the difference of two correlations with the same references, by paired bootstrap over the sentences."""
    random, differences = np.random.RandomState(1), []
    for _ in range(draws):
        chosen = random.randint(0, len(new), len(new))
        differences.append(correlation([new[i] for i in chosen], only_sure) - correlation([old[i] for i in chosen], only_sure))
    return float(np.percentile(differences, 2.5)), float(np.percentile(differences, 97.5))


def report(work: Path, out: Path, voice: Speaker, speaker: str, references_only: bool) -> None:
    chosen = sentences(work, speaker)
    texts = [sentence.text for sentence in chosen]
    theirs = word_errors(texts, transcribe([work / speaker / "16k" / f"{s.key}.wav" for s in chosen], out / f"{speaker}-reference"))
    if references_only:
        print(f"{speaker}: reference WER {rate(theirs):.1f} % ({len(texts)} sentences)", flush=True)
        return
    plain, errors = measure(work, out, voice, speaker, (chosen, theirs), with_prosody=False)
    if voice.knows(speaker) and chosen[0].rows is not None:
        steered, steered_errors = measure(work, out, voice, speaker, (chosen, theirs), with_prosody=True)
        changes = []
        for only_sure in (False, True):
            low, high = correlation_interval(steered, plain, only_sure)
            changes.append(f"{correlation(steered, only_sure) - correlation(plain, only_sure):+.3f} (95 %: {low:+.3f} .. {high:+.3f})")
        low, high = difference_interval(steered_errors, errors)
        print(f"\n{speaker}, what prosody changes: F0 corr {changes[0]}, in sure frames {changes[1]}, "
              f"WER {rate(steered_errors) - rate(errors):+.1f} ({low:+.1f} .. {high:+.1f})\n", flush=True)


def measure(work: Path, out: Path, voice: Speaker, speaker: str, against: tuple[list[Sentence], list], with_prosody: bool) -> tuple[list[Pitch], list]:
    """Speaks and measures the sentences, prints a row of the table, and gives the pitches and the word errors."""
    chosen, theirs = against
    texts = [sentence.text for sentence in chosen]
    name = f"{speaker}-prosody" if with_prosody else speaker
    wavs = [write(out / name, s.key, voice.speak(s.symbols, speaker, s.rows if with_prosody else None)) for s in chosen]
    ours = word_errors(texts, transcribe(wavs, out / f"{name}-made"))
    low, high = difference_interval(ours, theirs)
    distortions, pitches, seconds, true_seconds, spreads, true_spreads = [], [], 0.0, 0.0, [], []
    for sentence in chosen:
        made = scipy.io.wavfile.read(out / name / f"{sentence.key}_22.wav")[1].astype("f8")
        true = scipy.io.wavfile.read(work / speaker / "22k" / f"{sentence.key}.wav")[1].astype("f8")
        seconds, true_seconds = seconds + len(made) / RATE, true_seconds + len(true) / RATE
        distortion, pitch = likeness(made, true, speaker)
        distortions.append(distortion)
        pitches.append(pitch)
        if len(pitch.made) > 20:
            spreads.append(semitone_spread(pitch.made))
            true_spreads.append(semitone_spread(pitch.true))
    a, b = np.concatenate([pitch.made for pitch in pitches]), np.concatenate([pitch.true for pitch in pitches])
    cells = [
        f"{speaker}, with prosody" if with_prosody else speaker, f"{len(texts)} / {sum(n for _, n in ours)}", f"{rate(ours):.1f}", f"{rate(theirs):.1f}",
        f"{low:+.1f} .. {high:+.1f}", f"{np.mean(distortions):.2f}", f"{np.sqrt(((a - b) ** 2).mean()):.1f}", f"{correlation(pitches):.2f}", f"{correlation(pitches, only_sure=True):.2f}",
        f"{np.median(a):.0f} / {np.median(b):.0f}", f"{np.mean(spreads):.1f} / {np.mean(true_spreads):.1f}", f"{seconds / true_seconds:.2f}"]
    print(f"| {' | '.join(cells)} |", flush=True)
    return pitches, ours


def common(work: Path, out: Path, voice: Speaker, speakers: list[str]) -> None:
    """Several speakers on one set of texts, those of slt."""
    chosen = sentences(work, "slt")
    texts = [sentence.text for sentence in chosen]
    print(f"\nOn the {len(texts)} texts of slt:\n\n| speaker | WER % |\n|---|---|")
    for speaker in speakers:
        for with_prosody in (False, True) if voice.knows(speaker) and chosen[0].rows is not None else (False,):
            name = f"common-{speaker}-prosody" if with_prosody else f"common-{speaker}"
            wavs = [write(out / name, s.key, voice.speak(s.symbols, speaker, s.rows if with_prosody else None)) for s in chosen]
            wrong = rate(word_errors(texts, transcribe(wavs, out / f"{name}-made")))
            print(f"| {speaker}{', with prosody' if with_prosody else ''} | {wrong:.1f} |", flush=True)


def speed(work: Path, voice: Speaker) -> None:
    chosen = [sentence.symbols for sentence in sentences(work, "lj")[:20]]
    for symbols in chosen[:3]:
        voice.speak(symbols, "lj")
    took, made = [], 0.0
    for symbols in chosen:
        started = time.thread_time()
        made += len(voice.speak(symbols, "lj")) / RATE
        took.append(time.thread_time() - started)
    clause = "ðə mˈitɪŋ stˈɑɹts æt tˈɛn,"
    short = []
    for _ in range(20):
        started = time.thread_time()
        seconds = len(voice.speak(clause, "lj")) / RATE
        short.append(time.thread_time() - started)
    print(f"one thread: real-time factor {sum(took) / made:.5f} ({made / sum(took):.0f} times real time); "
          f"a clause of {seconds:.1f} s in {1000 * np.median(short):.1f} ms (median)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--speakers", nargs="*", help="all where not given")
    parser.add_argument("--common", nargs="*", default=["lj", "kathleen"], help="speakers to compare on one set of texts")
    parser.add_argument("--references-only", action="store_true")
    options = parser.parse_args()
    voice = Speaker(options.model)
    out = options.work.resolve() / "evaluation"
    out.mkdir(exist_ok=True)
    if not options.references_only:
        heads = ["speaker", "sentences / words", "WER %", "reference WER %", "difference, 95 %", "MCD dB", "F0 RMSE Hz", "F0 corr", "in sure frames", "F0 median Hz",
                 "F0 sd semitones", "length"]
        print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for speaker in voice.numbers if options.speakers is None else options.speakers:
        report(options.work.resolve(), out, voice, speaker, options.references_only)
    if not options.references_only:
        if options.common:
            common(options.work.resolve(), out, voice, options.common)
        speed(options.work.resolve(), voice)


if __name__ == "__main__":
    main()
