"""Writes the model folder: graph, Piper's and sherpa-onnx's descriptions of it, and Parley's manifest."""

import argparse
import hashlib
import io
import json
import warnings
from pathlib import Path

import onnx
import torch

from frames import HOP, NEUTRAL, RATE
from graph import Graph
from model import Voice
from pack import pack
from symbols import BOS, EOS, PAD, SYMBOLS, ids_of

OPSET = 16
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
EXAMPLES = ("hᴏˈlᴏ wˈɝld.", "jˈɛs?")


def load(path: Path) -> tuple[Voice, list[str]]:
    """A voice with the averaged weights of a checkpoint, and its speakers' names."""
    found = torch.load(path, map_location="cpu")
    voice = Voice(len(found["speakers"]))
    voice.load_state_dict(found["average"])
    return voice.eval(), found["speakers"]


def trace(graph: Graph) -> onnx.ModelProto:
    rows = [ids_of(text) for text in EXAMPLES]
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
    inputs = (ids, torch.tensor([len(row) for row in rows]), torch.tensor(NEUTRAL[:3]), torch.tensor([0, 1]))
    buffer = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(graph.eval(), inputs, buffer, opset_version=OPSET, input_names=["input", "input_lengths", "scales", "sid"],
                          output_names=["output", "durations"], do_constant_folding=True,
                          dynamic_axes={"input": {0: "batch", 1: "ids"}, "input_lengths": {0: "batch"}, "scales": {0: "numbers"}, "sid": {0: "batch"},
                                        "output": {0: "batch", 2: "samples"}, "durations": {0: "batch", 1: "ids"}})
    return onnx.load_model_from_string(buffer.getvalue())


def describe(model: onnx.ModelProto, speakers: list[str]) -> None:
    """The metadata that sherpa-onnx reads."""
    at = SYMBOLS.index
    facts = {"model_type": "vits", "comment": "piper", "language": "English", "voice": "en-us", "sample_rate": RATE, "n_speakers": len(speakers),
             "has_espeak": 0, "frontend": "characters", "add_blank": 1, "use_eos_bos": 1, "bos_id": at(BOS), "eos_id": at(EOS), "blank_id": at(PAD),
             "pad_id": at(PAD), "punctuation": ". , ? ! ; : |", "version": 1, "hop_length": HOP}
    for name, value in facts.items():
        model.metadata_props.add(key=name, value=str(value))


def piper_config(speakers: list[str], default: str) -> dict:
    return {
        "audio": {"sample_rate": RATE, "quality": "medium"}, "espeak": {"voice": "en-us"}, "language": {"code": "en_US"},
        "inference": {"noise_scale": NEUTRAL[0], "length_scale": NEUTRAL[1], "noise_w": NEUTRAL[2]}, "phoneme_type": "text", "phoneme_map": {},
        "phoneme_id_map": {symbol: [i] for i, symbol in enumerate(SYMBOLS)}, "num_symbols": len(SYMBOLS), "num_speakers": len(speakers),
        "speaker_id_map": {name: i for i, name in enumerate(speakers)}, "default_speaker_id": speakers.index(default), "hop_length": HOP, "piper_version": "1.0.0",
    }


def manifest(folder: Path, speakers: list[str]) -> str:
    """`model.yaml` with the digests of the files that are in the folder."""
    files = {"graph": "model.onnx", "voice": "model.onnx.json", "lexicon": "lexicon.bin"}
    lines = [
        "name: parley-en", "task: speak", "engine: onnx",
        f"description: English, {NUMBERS.get(len(speakers), len(speakers))} speakers; made by models/training/voice from public-domain and permissively licensed recordings and synthesizers.",
        "licence: Apache-2.0", "files:",
    ]
    for role, name in files.items():
        if (folder / name).exists():
            lines.append(f"  {role}: {{ path: {name}, sha256: {hashlib.sha256((folder / name).read_bytes()).hexdigest()} }}")
    lines += [f"sampleRate: {RATE}", "languages: [en]", f"speakers: [{', '.join(speakers)}]", "phonemes: parley-en", "maxBatch: 16"]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the model folder")
    parser.add_argument("--default", help="the speaker of whoever names none; the first where it is left out")
    parser.add_argument("--pitch-gain", type=float, nargs="+", default=[1.0])
    parser.add_argument("--length-gain", type=float, nargs="+", default=[1.0])
    parser.add_argument("--float32", action="store_true", help="keep the weights as they are")
    options = parser.parse_args()
    voice, speakers = load(options.checkpoint)
    each = lambda gains: gains if len(gains) == len(speakers) else gains * len(speakers)
    graph = Graph(voice, each(options.pitch_gain), each(options.length_gain))
    model = trace(graph)
    if not options.float32:
        model = pack(model)
    describe(model, speakers)
    options.out.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(options.out / "model.onnx"))
    (options.out / "model.onnx.json").write_text(json.dumps(piper_config(speakers, options.default or speakers[0]), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (options.out / "tokens.txt").write_text("".join(f"{symbol} {i}\n" for i, symbol in enumerate(SYMBOLS)), encoding="utf-8")
    (options.out / "model.yaml").write_text(manifest(options.out, speakers), encoding="utf-8")
    print("bytes:", (options.out / "model.onnx").stat().st_size, "operators:", len(model.graph.node))


if __name__ == "__main__":
    main()
