"""sherpa-onnx on one thread, asked by lines of JSON: sherpa_voice.py MODEL_FOLDER FIRST_AUDIO_MS

Symbols are given as text. The callback stops after the sentence: behind its stop sherpa-onnx would speak an empty one, which nobody asked for.
"""

import array
import base64
import json
import sys
import time

import sherpa_onnx


def main() -> None:
    folder, first_audio_ms = sys.argv[1], float(sys.argv[2])
    vits = sherpa_onnx.OfflineTtsVitsModelConfig(model=f"{folder}/model.onnx", lexicon="", tokens=f"{folder}/tokens.txt", data_dir="")
    model = sherpa_onnx.OfflineTtsModelConfig(vits=vits, provider="cpu", num_threads=1, debug=False)
    tts = sherpa_onnx.OfflineTts(sherpa_onnx.OfflineTtsConfig(model=model, max_num_sentences=1))
    speaking = sherpa_onnx.GenerationConfig()
    speaking.sid = 0
    # Its own value shortens every longer pause.
    speaking.silence_scale = 1.0
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        pieces, times = [], []

        def take(samples, _progress) -> int:
            times.append(time.perf_counter())
            pieces.append(samples.copy())
            return 0

        start = time.perf_counter()
        tts.generate(question["symbols"], speaking, callback=take)
        total_ms = (time.perf_counter() - start) * 1000
        audio_ms = len(pieces[0]) * 1000 / tts.sample_rate
        assert len(pieces) == 1 and audio_ms >= first_audio_ms, f"{len(pieces)} parts, the first of {audio_ms} ms"
        audio = None
        if question["keep"]:
            pcm = array.array("h", [max(-32768, min(32767, round(float(sample) * 32768))) for sample in pieces[0]])
            audio = base64.b64encode(pcm.tobytes()).decode("ascii")
        answer = {"firstMs": (times[0] - start) * 1000, "totalMs": total_ms, "audioMs": audio_ms, "audio": audio}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
