"""What the tests of Python clients share: where the cluster is, and judging audio and transcripts without any package."""

import array
import io
import math
import os
import re
import wave

BASE_URL = os.environ["PARLEY_BASE_URL"]
# The same cluster behind TLS: some libraries open encrypted sockets only.
TLS_BASE_URL = os.environ["PARLEY_TLS_BASE_URL"]
API_KEY = os.environ["PARLEY_API_KEY"]

TEXT = "Good morning to everybody who is listening."

with open(os.environ["PARLEY_CLIP"], "rb") as _file:
    # A person reading CLIP_TEXT, FLAC.
    CLIP = _file.read()
CLIP_TEXT = os.environ["PARLEY_CLIP_TEXT"]


class SpeechAssertions:
    """Mixed into test cases. PCM is 16 bit, little endian, mono."""

    def assert_speech(self, pcm: bytes, rate: int, shortest: float = 1.5, longest: float = 5.0) -> float:
        """Not only sound of the right length: most of it must be loud. Gives its length in seconds."""
        seconds = len(pcm) / 2 / rate
        self.assertGreater(seconds, shortest)
        self.assertLess(seconds, longest)
        self.assertGreater(loud_share(pcm, rate), 0.5)
        return seconds

    def assert_wav(self, data: bytes, rate: int | None = None) -> float:
        with wave.open(io.BytesIO(data)) as file:
            self.assertEqual((file.getnchannels(), file.getsampwidth()), (1, 2))
            if rate is not None:
                self.assertEqual(file.getframerate(), rate)
            # A header written before the end is known announces more than there is.
            return self.assert_speech(file.readframes(len(data) // 2), file.getframerate())

    def assert_mp3(self, data: bytes) -> None:
        """At least a second of MPEG frames, at 128 kbit/s."""
        self.assertTrue(data[:3] == b"ID3" or (data[0] == 0xFF and data[1] & 0xE0 == 0xE0), data[:4])
        self.assertGreater(len(data), 16_000)

    def assert_transcript(self, text: str, expected: str = CLIP_TEXT) -> None:
        """At most half of the words are wrong: which are right is the recognizer's own test."""
        said, recognized = words_of(expected), words_of(text)
        self.assertLess(word_errors(said, recognized) / len(said), 0.5, f"{text!r} for {expected!r}")


def loud_share(pcm: bytes, rate: int) -> float:
    """Share of the frames of 20 ms that are louder than -45 dB of full scale."""
    samples = array.array("h", pcm[: len(pcm) // 2 * 2])
    size = rate // 50
    frames = [samples[start : start + size] for start in range(0, len(samples) - size + 1, size)]
    loud = [frame for frame in frames if math.sqrt(sum(sample * sample for sample in frame) / size) > 184]
    return len(loud) / max(1, len(frames))


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def word_errors(said: list[str], recognized: list[str]) -> int:
    """Substitutions, insertions and deletions."""
    row = list(range(len(recognized) + 1))
    for index, word in enumerate(said):
        following = [index + 1]
        for column, other in enumerate(recognized):
            following.append(min(row[column + 1] + 1, following[column] + 1, row[column] + (word != other)))
        row = following
    return row[-1]
