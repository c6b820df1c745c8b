"""pocketsphinx with the American English model of its wheel, asked by lines of JSON: pocketsphinx_words.py

It recognizes while the audio comes, in portions of 100 ms; what it does after the last of them is the time to its words.
"""

import json
import sys
import time

from pocketsphinx import Decoder

PORTION_BYTES = 3200


def main() -> None:
    decoder = Decoder(loglevel="FATAL")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        with open(json.loads(line)["path"], "rb") as file:
            audio = file.read()
        start = time.perf_counter()
        decoder.start_utt()
        for at in range(0, len(audio), PORTION_BYTES):
            last = time.perf_counter()
            decoder.process_raw(audio[at : at + PORTION_BYTES], no_search=False, full_utt=False)
        decoder.end_utt()
        found = decoder.hyp()
        end = time.perf_counter()
        text = "" if found is None else found.hypstr
        print(json.dumps({"text": text, "totalMs": (end - start) * 1000, "afterEndMs": (end - last) * 1000}), flush=True)


if __name__ == "__main__":
    main()
