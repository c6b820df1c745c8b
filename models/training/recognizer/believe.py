"""Which of a teacher's transcripts (label.py) training believes: those that the teacher is sure of and that our own recognizer hears too.

FOLDER/believed.tsv gets path TAB nats a phone TAB text of every recording whose phones cost the model that is there no more than those of all
but one in fifty of the recordings with people's own transcripts (`--like`).
"""

import argparse
import re
from pathlib import Path

import numpy as np
import onnxruntime
import torch

import corpus
import human
import pools
from phones import ids

LEAST_SCORE = -0.3
"""Mean log probability of the teacher's tokens; a sixth of its transcripts of Common Voice are less sure."""

FEWEST_PHONES = 4
"""A word like "yes" has three: so little audio agrees with much."""

COMPARED = 400
"""Recordings with people's own transcripts that the limit is measured on."""

BELIEVED = 98
"""Percent of those whose phones cost less than the limit."""


class Hearing:
    """model.onnx, asked how likely phones are."""

    def __init__(self, model: Path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(model), options)

    def cost(self, audio: np.ndarray, phones: tuple[str, ...]) -> float:
        """Nats a phone that the whole sequence costs, over all ways to align it (CTC); infinite where it does not fit into the time."""
        scores = self.session.run(["log_probs"], {"audio": audio[None].astype("f4") / 32768, "audio_lens": np.array([len(audio)])})[0]
        target = torch.tensor([ids(phones)])
        loss = torch.nn.functional.ctc_loss(
            torch.from_numpy(scores).transpose(0, 1), target, torch.tensor([scores.shape[1]]), torch.tensor([len(phones)]), reduction="sum"
        )
        return float(loss) / len(phones)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of the recognizer that is there")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--like", type=Path, required=True, help="a pool of recordings of the same kind with people's own transcripts")
    parser.add_argument("folder", type=Path, help="the folder that label.py was given, with its taught*.tsv")
    options = parser.parse_args()
    torch.set_num_threads(1)
    hearing = Hearing(options.model)
    costs = [hearing.cost(clip.audio, clip.phones) for clip in pools.read(options.like)[:COMPARED]]
    limit = float(np.percentile(costs, BELIEVED))
    rows = [line.rstrip("\n").split("\t") for table in sorted(options.folder.glob("taught*.tsv")) for line in table.open(encoding="utf-8")]
    sure = [(path, text) for path, _, score, text in rows if float(score) >= LEAST_SCORE and not re.search(r"[^ -~‘’“”–—é]|\d", text)]
    phones = pools.front_end_phones(options.front_end, [corpus.tidy(text) for _, text in sure])
    kept = 0
    with (options.folder / "believed.tsv").open("w", encoding="utf-8") as table:
        for (path, text), spoken in zip(sure, phones, strict=True):
            if len(spoken) < FEWEST_PHONES:
                continue
            cost = hearing.cost(human.decode(options.folder / path), spoken)
            if cost <= limit:
                kept += 1
                table.write(f"{path}\t{cost:.3f}\t{text}\n")
    print(f"{options.folder.name}: of {len(rows)} transcripts the teacher is sure of {len(sure)}, and {kept} cost at most {limit:.2f} nats a phone")


if __name__ == "__main__":
    main()
