"""Word error rate by pocketsphinx with its own English model: a judge that has never seen our voices."""

import hashlib
import random
import re
import subprocess
from pathlib import Path

MODEL = Path("/usr/share/pocketsphinx/model/en-us")


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def distance(wanted: list[str], heard: list[str]) -> int:
    """Substitutions, insertions and deletions between two word lists."""
    row = list(range(len(heard) + 1))
    for i, a in enumerate(wanted, 1):
        last, row = row, [i]
        for j, b in enumerate(heard, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
    return row[-1]


def transcribe(wavs: list[Path], stem: Path) -> list[str]:
    """What pocketsphinx hears in 16 kHz wave files; kept in STEM.hyp, and read from there where the sound is the same."""
    hypotheses, control, heard = Path(f"{stem}.hyp"), Path(f"{stem}.ctl"), Path(f"{stem}.sha256")
    digest = hashlib.sha256(b"".join(wav.read_bytes() for wav in wavs)).hexdigest()
    if not heard.exists() or heard.read_text() != digest:
        control.write_text("".join(f"{wav.with_suffix('')}\n" for wav in wavs))
        settings = {"hmm": MODEL / "en-us", "lm": MODEL / "en-us.lm.bin", "dict": MODEL / "cmudict-en-us.dict", "adcin": "yes", "cepdir": "/",
                    "cepext": ".wav", "adchdr": 44, "ctl": control, "hyp": hypotheses}
        arguments = [str(part) for name, value in settings.items() for part in (f"-{name}", value)]
        subprocess.run(["pocketsphinx_batch", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        heard.write_text(digest)
    lines = hypotheses.read_text().splitlines()
    return [re.sub(r"\(\d+\)", "", re.sub(r"\s*\([^()]*\)\s*$", "", line)) for line in lines]


def word_errors(texts: list[str], heard: list[str]) -> list[tuple[int, int]]:
    """(errors, words) of every sentence."""
    return [(distance(words(text), words(line)), len(words(text))) for text, line in zip(texts, heard, strict=True)]


def rate(errors: list[tuple[int, int]]) -> float:
    return 100 * sum(e for e, _ in errors) / sum(n for _, n in errors)


def difference_interval(ours: list[tuple[int, int]], theirs: list[tuple[int, int]], draws: int = 2000) -> tuple[float, float]:
    """95 % interval of our rate minus theirs over the same sentences, by paired bootstrap."""
    draw = random.Random(3)
    found = []
    for _ in range(draws):
        picked = [draw.randrange(len(ours)) for _ in ours]
        found.append(rate([ours[i] for i in picked]) - rate([theirs[i] for i in picked]))
    found.sort()
    return found[int(0.025 * draws)], found[int(0.975 * draws)]
