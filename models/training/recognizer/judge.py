"""What other recognizers hear in the evaluation sets: FOLDER/SET.pocketsphinx (its own American model and language model, default settings) and, with the
graphs of label.py's teacher, FOLDER/SET.moonshine.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import scipy.io.wavfile

import label
import spoken

SPHINX = Path("/usr/share/pocketsphinx/model/en-us")


def listen(folder: Path, name: str) -> list[str]:
    """One line of words per clip, in the order of the table."""
    files = [line.split("\t")[0].removesuffix(".wav") for line in (folder / f"{name}.tsv").read_text().rstrip("\n").split("\n")]
    with tempfile.TemporaryDirectory() as work:
        control, answers = Path(work, "control"), Path(work, "answers")
        control.write_text("\n".join(files) + "\n")
        subprocess.run(
            ["pocketsphinx_batch", "-hmm", SPHINX / "en-us", "-lm", SPHINX / "en-us.lm.bin", "-dict", SPHINX / "cmudict-en-us.dict",
             "-adcin", "yes", "-adchdr", "44", "-cepdir", folder, "-cepext", ".wav", "-ctl", control, "-hyp", answers],
            check=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        heard = dict(reversed(line.rsplit(" (", 1)) for line in answers.read_text().rstrip("\n").split("\n"))
    by_file = {key.split(" ")[0].rstrip(")"): said for key, said in heard.items()}
    return [by_file.get(file, "") for file in files]


def listener(teacher: Path) -> Callable[[Path, str], list[str]]:
    """The same of Moonshine base, numbers as they are said; a clip a call."""
    model = label.Teacher(teacher)

    def hear(folder: Path, name: str) -> list[str]:
        files = [line.split("\t")[0] for line in (folder / f"{name}.tsv").read_text().rstrip("\n").split("\n")]
        audio = [scipy.io.wavfile.read(folder / file)[1] for file in files]
        return [spoken.say(model.listen(samples[None])[0][0]) for samples in audio]

    return hear


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", help="all that were not heard yet when none is named")
    parser.add_argument("--moonshine", type=Path, help="models/base-en of its wheel (label.py): this one is asked instead")
    options = parser.parse_args()
    ending, hear = (".pocketsphinx", listen) if options.moonshine is None else (".moonshine", listener(options.moonshine))
    names = options.sets or [path.stem for path in sorted(options.folder.glob("*.tsv")) if not path.with_suffix(ending).exists()]
    for name in names:
        (options.folder / f"{name}{ending}").write_text("\n".join(hear(options.folder, name)) + "\n")
        print(name, flush=True)


if __name__ == "__main__":
    main()
