"""How far PyTorch, onnxruntime and TensorFlow.js differ on the same samples: `agreement.py DATA MODEL`. Needs Parley built (`npx tsc -b`) and node."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

import graph
import noises
import sounds
from mix import mix, timeline
from network import FUTURE, PAST, Features

if __name__ == "__main__":
    data, model = Path(sys.argv[1]), Path(sys.argv[2])
    rng, clips = np.random.default_rng(4), sounds.human(data, held_out=True)
    n = 60 * noises.RATE + 77
    sound, speech, _ = timeline(rng, clips, n // 160 * 160, silent=0)
    mixed = mix(rng, sound, speech, noises.unit(noises.music(rng, len(sound))), 10, -20)
    samples = np.append((mixed * 32768).astype(np.int16), rng.integers(-99, 99, 77).astype(np.int16))
    with torch.no_grad():
        here = torch.sigmoid(graph.read(model)(Features()(torch.from_numpy(samples / np.float32(32768))[None].float())))[0].numpy()
    for name in ("model.onnx", "model.json"):
        command = ["node", str(Path(__file__).with_name("answers.mjs")), str(model / name), str(PAST), str(FUTURE)]
        there = np.frombuffer(subprocess.run(command, input=samples.tobytes(), check=True, capture_output=True).stdout, np.float32)
        print(f"{name}: {len(here)} and {len(there)} answers, largest difference {np.abs(here - there).max():.1e}")
