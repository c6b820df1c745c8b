"""Phone times of human recordings, by pocketsphinx.

Every flite phone becomes a one-phone word and every clip its own grammar, with an optional silence at word boundaries and pauses.
The distilled speakers need none of this: flite says when it spoke each phone.
Writes WORK/SPEAKER/alignment.json: {id: [[name, stress, start_seconds, end_seconds], …]}; clips that do not align are left out.
"""

import argparse
import json
import re
import subprocess
from pathlib import Path

MODEL = Path("/usr/share/pocketsphinx/model/en-us/en-us")
SECONDS_PER_FRAME = 0.01
# Flite's phone for what the recognizer's phone set calls otherwise, and what speakers often say instead.
VARIANTS = {"ax": ["AH", "IH"], "t": ["T", "D"], "ih": ["IH", "AH"]}


def grammar(phones: list[list]) -> str:
    lines = ["FSG_BEGIN g", f"NUM_STATES {len(phones) + 1}", "START_STATE 0", f"FINAL_STATE {len(phones)}"]
    for i, (name, _, _) in enumerate(phones):
        if name == "_":
            lines += [f"TRANSITION {i} {i + 1} 0.97", f"TRANSITION {i} {i + 1} 0.03 xsil"]
        elif name.startswith("pau"):
            lines += [f"TRANSITION {i} {i + 1} 0.3", f"TRANSITION {i} {i + 1} 0.7 xsil"]
        else:
            lines.append(f"TRANSITION {i} {i + 1} 1.0 x{name}")
    return "\n".join([*lines, "FSG_END", ""])


def dictionary(names: set[str]) -> str:
    lines = ["xsil SIL"]
    for name in sorted(names):
        for i, phone in enumerate(VARIANTS.get(name, [name.upper()])):
            lines.append(f"x{name}{f'({i + 1})' if i else ''} {phone}")
    return "\n".join(lines) + "\n"


def recognize(folder: Path, keys: list[str]) -> Path:
    """Runs the recognizer over grammars/KEY.fsg and 16k/KEY.wav; gives the file with the segments."""
    control, segments = folder / "align.ctl", folder / "align.seg"
    control.write_text("\n".join(keys) + "\n")
    settings = {
        "hmm": MODEL, "dict": folder / "align.dict", "fsgctl": control, "fsgdir": folder / "grammars", "fsgext": ".fsg", "fsgusefiller": "no",
        "adcin": "yes", "cepdir": folder / "16k", "cepext": ".wav", "adchdr": 44, "ctl": control, "hyp": folder / "align.hyp",
        "hypseg": segments, "beam": "1e-150", "pbeam": "1e-150", "wbeam": "1e-100", "lw": 1, "wip": 1, "bestpath": "no",
        "remove_noise": "no", "remove_silence": "no",
    }
    arguments = [str(part) for name, value in settings.items() for part in (f"-{name}", value)]
    with (folder / "align.log").open("w") as log:
        subprocess.run(["pocketsphinx_batch", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=log)
    return segments


def read_segments(line: str) -> tuple[str, list[tuple[str, int]], int]:
    """(clip, [(word, first frame), …], frames) of a line of pocketsphinx's segment file."""
    parts = line.split()
    rest = parts[parts.index("L") + 2 :]
    found = [(re.sub(r"\(\d\)", "", rest[i + 3]), int(rest[i])) for i in range(0, len(rest) - 1, 4)]
    return parts[0], [pair for pair in found if pair[0] != "(NULL)"], int(rest[-1])


def match(phones: list[list], found: list[tuple[str, int]], frames: int) -> list[list] | None:
    """Gives every phone its time; None where the recognizer lost its way."""
    wanted = [name for name, _, _ in phones if name != "_" and not name.startswith("pau")]
    if wanted != [word[1:] for word, _ in found if word not in ("xsil", "<sil>")]:
        return None
    starts = [start for _, start in found] + [frames]
    out, k = [], 0
    for name, stress, _ in phones:
        silent = name == "_" or name.startswith("pau")
        takes = k < len(found) and (not silent or found[k][0] == "xsil")
        first = starts[min(k, len(found))]
        last = starts[k + 1] if takes else first
        out.append([name, stress, first * SECONDS_PER_FRAME, last * SECONDS_PER_FRAME])
        k += takes
    return out


def align_human(folder: Path, table: list[dict]) -> dict[str, list[list]]:
    (folder / "grammars").mkdir(exist_ok=True)
    names: set[str] = set()
    for row in table:
        (folder / "grammars" / f"{row['id']}.fsg").write_text(grammar(row["phones"]))
        names |= {name for name, _, _ in row["phones"] if name != "_" and not name.startswith("pau")}
    (folder / "align.dict").write_text(dictionary(names))
    phones = {row["id"]: row["phones"] for row in table}
    out = {}
    for line in recognize(folder, list(phones)).open():
        key, found, frames = read_segments(line)
        times = match(phones[key], found, frames)
        if times is not None:
            out[key] = times
    return out


def align_flite(table: list[dict]) -> dict[str, list[list]]:
    out = {}
    for row in table:
        starts = [0.0, *[end for _, _, end in row["phones"]]]
        out[row["id"]] = [[name, stress, start, max(start, end)] for (name, stress, end), start in zip(row["phones"], starts)]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--human", nargs="*", default=["lj", "kathleen"])
    parser.add_argument("--flite", nargs="*", default=["slt", "rms"])
    options = parser.parse_args()
    for speaker in [*options.human, *options.flite]:
        folder = options.work / speaker
        table = json.loads((folder / "utterances.json").read_text())
        times = align_human(folder, table) if speaker in options.human else align_flite(table)
        (folder / "alignment.json").write_text(json.dumps(times))
        print(f"{speaker}: {len(times)} of {len(table)} aligned", flush=True)


if __name__ == "__main__":
    main()
