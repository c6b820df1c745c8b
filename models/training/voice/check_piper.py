"""Speaks a sentence of symbols with every speaker through piper (`pip install piper-tts`): check_piper.py MODEL_FOLDER OUT_FOLDER [SYMBOLS]"""

import importlib.metadata
import json
import sys
import wave
from pathlib import Path

from piper import PiperVoice, SynthesisConfig


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    symbols = sys.argv[3] if len(sys.argv) > 3 else "ðə bˈɝʧ kənˈu slˈɪd ɑn ðə smˈuð plˈæŋks."
    speakers = json.loads((folder / "model.onnx.json").read_text(encoding="utf-8"))["speaker_id_map"]
    voice = PiperVoice.load(folder / "model.onnx")
    out.mkdir(parents=True, exist_ok=True)
    print("piper-tts", importlib.metadata.version("piper-tts"))
    for name, number in speakers.items():
        with wave.open(str(out / f"piper-{name}.wav"), "wb") as sound:
            voice.synthesize_wav(symbols, sound, SynthesisConfig(speaker_id=number))
            print(f"{name}: {sound.getnframes() / sound.getframerate():.2f} s at {sound.getframerate()} Hz")


if __name__ == "__main__":
    main()
