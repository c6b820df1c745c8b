"""Clean speech at 16 kHz with labels: where in each clip someone speaks, told from the energy of the clean signal."""

import csv
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

RATE = 16_000
STEP = 160
# Corpora of the human recordings that nobody is trained on (README of the data), beside every fourth line of commonvoice.
EVALUATION_ONLY = {"pocketsphinx", "librivox_sonnet", "cmu_arctic", "librispeech"}
# The slots of the narrow corpora are capped, or the network would learn coffee orders and single words.
CAP = {"picovoice": 250, "speech_commands": 200, "kathleen": 250}
# Decoders and voices run as programs of their own, this many at once.
TOGETHER = 6

# One or two plain sentences for each espeak language, so that speech is not taken for English.
FOREIGN = {
    "de": ["Heute scheint die Sonne, und wir gehen in den Park.", "Bitte sagen Sie mir, wann der Zug ankommt."],
    "fr": ["Le train arrive à huit heures, il ne faut pas être en retard.", "Je voudrais une table pour quatre personnes."],
    "es": ["Mañana vamos a la playa con toda la familia.", "¿Puede usted decirme dónde está la estación?"],
    "it": ["Domani mattina compriamo il pane e il latte.", "La riunione comincia alle nove in punto."],
    "pt": ["Amanhã cedo vamos comprar pão e leite na cidade.", "A reunião começa às nove horas."],
    "ru": ["Завтра утром мы поедем в город за покупками.", "Скажите, пожалуйста, который час?"],
    "pl": ["Jutro rano pojedziemy do miasta na zakupy.", "Proszę mi powiedzieć, która jest godzina."],
    "nl": ["Morgen gaan we met de fiets naar de markt.", "Kunt u mij zeggen hoe laat het is?"],
    "sv": ["I morgon åker vi till stan för att handla.", "Kan du säga mig hur mycket klockan är?"],
    "tr": ["Yarın sabah şehre alışverişe gideceğiz.", "Bana saatin kaç olduğunu söyler misiniz?"],
    "hi": ["कल सुबह हम बाज़ार जाएँगे।", "कृपया बताइए कि अभी कितने बजे हैं।"],
    "ar": ["غدا صباحا نذهب إلى المدينة.", "من فضلك كم الساعة الآن؟"],
    "cmn": ["明天早上我们去城里买东西。", "请问现在几点了？"],
    "ja": ["あしたのあさ まちへ かいものに いきます。", "いま なんじ ですか。"],
    "ko": ["내일 아침에 시내로 장을 보러 갑니다.", "지금 몇 시인지 알려 주세요."],
    "vi": ["Sáng mai chúng tôi đi chợ mua đồ.", "Xin cho biết bây giờ là mấy giờ."],
    "sw": ["Kesho asubuhi tutaenda mjini kununua vitu.", "Tafadhali niambie ni saa ngapi sasa."],
    "fi": ["Huomenna aamulla menemme kaupunkiin ostoksille.", "Voitteko kertoa, mitä kello on?"],
    "hu": ["Holnap reggel a városba megyünk vásárolni.", "Meg tudná mondani, hány óra van?"],
    "el": ["Αύριο το πρωί θα πάμε στην πόλη για ψώνια.", "Μπορείτε να μου πείτε τι ώρα είναι;"],
}
VARIANTS = ["", "+m1", "+m2", "+m3", "+m4", "+m5", "+m6", "+m7", "+f1", "+f2", "+f3", "+f5", "+klatt", "+klatt4"]


@dataclass
class Clip:
    corpus: str
    name: str
    samples: np.ndarray  # int16
    speech: np.ndarray  # per STEP: 1 speech, 0 none
    sure: np.ndarray  # per STEP: weight of the label, less near a border


def frame_levels_db(samples: np.ndarray) -> np.ndarray:
    """Level per step in dB over 25 ms, without what lies below the voice (rumble, offset)."""
    signal = samples.astype(np.float64) / 32768
    emphasized = np.append(signal[:1], signal[1:] - 0.9 * signal[:-1])
    count = -(-len(samples) // STEP)
    padded = np.pad(emphasized, (120, 400 + count * STEP - len(samples)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, 400)[: count * STEP : STEP]
    return 10 * np.log10((frames**2).mean(axis=1) + 1e-10)


def label(samples: np.ndarray):
    """(speech, sure) per step, or None for a clip so noisy that its energy does not tell."""
    levels = frame_levels_db(samples)
    peak, floor = np.percentile(levels, 95), np.percentile(levels, 5)
    # A clip without a pause has no floor: its quietest sounds are speech.
    if peak - floor < 24:
        return None
    threshold = max(peak - 36, floor + 0.3 * (peak - floor))
    speech = levels > threshold
    speech = close_gaps(speech, 20)
    speech = ~close_gaps(~speech, 5)
    speech = dilate(speech, 2)
    sure = np.ones(len(speech), np.float32)
    for border in np.flatnonzero(np.diff(speech.astype(np.int8))):
        sure[max(0, border - 2) : border + 4] = 0.2
    return speech.astype(np.float32), sure


def close_gaps(mask: np.ndarray, shortest: int) -> np.ndarray:
    """Sets runs of False between True that are shorter than `shortest` steps."""
    closed = mask.copy()
    on = np.flatnonzero(mask)
    for a, b in zip(on[:-1], on[1:]):
        if 1 < b - a <= shortest:
            closed[a:b] = True
    return closed


def dilate(mask: np.ndarray, steps: int) -> np.ndarray:
    return np.convolve(mask, np.ones(2 * steps + 1), "same") > 0


def read_audio(path: Path) -> np.ndarray:
    if path.suffix == ".opus":
        return run(["opusdec", "--quiet", "--rate", str(RATE), "--force-wav", str(path), "-"])
    return run(["sox", str(path), "-r", str(RATE), "-b", "16", "-t", "wav", "-"])


def run(command: list) -> np.ndarray:
    """The sound that a program writes as WAV (mono, 16 bit), at RATE. Lengths in the header of a pipe are not to be believed."""
    wave = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    rate = int.from_bytes(wave[24:28], "little")
    data = wave[wave.index(b"data") + 8 :]
    samples = np.frombuffer(data[: len(data) // 2 * 2], np.int16)
    if rate == RATE:
        return samples
    return np.clip(resample_poly(samples.astype(np.float64), RATE // 50, rate // 50), -32768, 32767).astype(np.int16)


def human_files(data: Path):
    """(corpus, path, held out?) of every recording."""
    for table in sorted((data / "human").glob("*/metadata.csv")):
        corpus = table.parent.name
        lines = [line.split("|")[0] for line in table.read_text().splitlines() if line]
        for number, name in enumerate(lines, 1):
            held_out = corpus in EVALUATION_ONLY or (corpus == "commonvoice" and number % 4 == 0)
            yield corpus, table.parent / f"{name}.opus", held_out
    with open(data / "ljspeech" / "metadata.csv") as table:
        for row in csv.reader(table, delimiter="|", quoting=csv.QUOTE_NONE):
            yield "ljspeech", data / "ljspeech" / "clips" / f"{row[0]}.flac", row[0].endswith("0")


def human(data: Path, held_out: bool) -> list:
    chosen, random_order = {}, random.Random(3)
    for corpus, path, held in human_files(data):
        if held == held_out:
            chosen.setdefault(corpus, []).append(path)
    wanted = []
    for corpus, paths in chosen.items():
        if not held_out and corpus in CAP:
            paths = random_order.sample(paths, min(CAP[corpus], len(paths)))
        wanted += [(corpus, path) for path in paths]
    with ThreadPoolExecutor(TOGETHER) as pool:
        sounds = list(pool.map(read_audio, [path for _, path in wanted]))
    return labelled([(corpus, path.stem, sound) for (corpus, path), sound in zip(wanted, sounds)])


def synthetic(data: Path, count: int, seed: int) -> list:
    """Clips of espeak-ng (many languages and variants) and flite; texts are public-domain sentences of LJSpeech that are in no held-out clip."""
    rng = random.Random(seed)
    held = {path.stem for corpus, path, held_out in human_files(data) if held_out and corpus == "ljspeech"}
    rows = [line.split("|") for line in (data / "ljspeech" / "all-text.csv").read_text().splitlines()]
    texts = [row[-1] for row in rows if row[0] not in held and len(row[-1]) < 110]
    commands = []
    for i in range(count):
        if i % 3 == 0:
            voice, text = rng.choice(["slt", "rms", "awb", "kal16"]), rng.choice(texts)
            stretch, pitch = rng.uniform(0.8, 1.25), rng.uniform(80, 220)
            options = ["--setf", f"duration_stretch={stretch:.2f}", "--setf", f"int_f0_target_mean={pitch:.0f}"]
            commands.append((f"{voice}-{i}", ["flite", "-voice", voice, *options, "-t", text, "-o", "/dev/stdout"]))
        else:
            language = rng.choice(list(FOREIGN)) if i % 3 == 1 else rng.choice(["en-us", "en-gb", "en-gb-scotland", "en-029"])
            text = " ".join(rng.sample(FOREIGN[language], 2)) if language in FOREIGN else rng.choice(texts)
            voice = language + rng.choice(VARIANTS)
            delivery = ["-s", str(rng.randint(120, 220)), "-p", str(rng.randint(15, 85))]
            commands.append((f"{voice}-{i}", ["espeak-ng", "-v", voice, *delivery, "--stdout", text]))
    with ThreadPoolExecutor(TOGETHER) as pool:
        sounds = list(pool.map(run, [command for _, command in commands]))
    return labelled([("synthetic", name, sound) for (name, _), sound in zip(commands, sounds)])


def labelled(clips: list) -> list:
    result = []
    for corpus, name, samples in clips:
        labels = label(samples) if len(samples) > 6000 else None
        if labels is not None and labels[0].sum() > 15:
            result.append(Clip(corpus, name, samples, *labels))
    return result
