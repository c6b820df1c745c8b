"""Moonshine base for English (Useful Sensors, MIT) by the library of its own wheel, asked by lines of JSON: moonshine_words.py"""

import json
import sys
import tempfile
import time
import wave

from moonshine_cpp.moonshine_cpp import MoonshineModel


def main() -> None:
    model = MoonshineModel()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        with open(json.loads(line)["path"], "rb") as file:
            audio = file.read()
        # Its function for samples fails on every call in this version (0.1.4); reading a WAV of some seconds takes no time beside recognizing it.
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            with wave.open(file.name, "wb") as wav:
                wav.setnchannels(1)
                wav.setsampwidth(2)
                wav.setframerate(16000)
                wav.writeframes(audio)
            start = time.perf_counter()
            text = model.transcribe_wav(file.name)
            total_ms = (time.perf_counter() - start) * 1000
        print(json.dumps({"text": text, "totalMs": total_ms, "afterEndMs": total_ms}), flush=True)


if __name__ == "__main__":
    main()
