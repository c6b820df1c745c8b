"""Groq's own library, with nothing but base URL and key changed."""

import unittest

import groq

from support import API_KEY, BASE_URL, CLIP, TEXT, SpeechAssertions


class Groq(SpeechAssertions, unittest.TestCase):
    def setUp(self) -> None:
        self.client = groq.Groq(base_url=f"{BASE_URL}/compat", api_key=API_KEY)
        self.addCleanup(self.client.close)

    def test_speaks_whatever_it_says_it_accepts(self) -> None:
        speech = self.client.audio.speech.create(model="playai-tts", voice="default", input=TEXT, response_format="wav")
        self.assert_wav(speech.read())
        self.assert_mp3(self.client.audio.speech.create(model="playai-tts", voice="default", input=TEXT, response_format="mp3").read())

    def test_streams_speech(self) -> None:
        with self.client.audio.speech.with_streaming_response.create(model="playai-tts", voice="default", input=TEXT, response_format="wav", sample_rate=24_000) as answer:
            self.assert_wav(b"".join(answer.iter_bytes()), 24_000)

    def test_transcribes_and_names_the_request(self) -> None:
        answer = self.client.audio.transcriptions.create(file=("clip.flac", CLIP), model="whisper-large-v3-turbo")
        self.assert_transcript(answer.text)
        # Groq's API says it in the body, which other libraries of it require.
        self.assertTrue((answer.model_extra or {}).get("x_groq", {}).get("id"))

    def test_transcribes_with_times(self) -> None:
        answer = self.client.audio.transcriptions.create(
            file=("clip.flac", CLIP), model="whisper-large-v3", response_format="verbose_json", timestamp_granularities=["word", "segment"], language="en"
        )
        self.assert_transcript(" ".join(word["word"] for word in answer.model_extra["words"]))
        self.assertEqual(answer.model_extra["language"], "en")

    def test_lists_models(self) -> None:
        self.assertIn("service/transcribe-1", [model.id for model in self.client.models.list().data])

    def test_raises_its_own_errors(self) -> None:
        with self.assertRaises(groq.BadRequestError):
            self.client.audio.speech.create(model="playai-tts", voice="default", input=TEXT, response_format="flac")
        with self.assertRaises(groq.AuthenticationError):
            groq.Groq(base_url=f"{BASE_URL}/compat", api_key="wrong").audio.transcriptions.create(file=("clip.flac", CLIP), model="whisper-large-v3")
        with self.assertRaises(groq.NotFoundError):
            self.client.audio.translations.create(file=("clip.flac", CLIP), model="whisper-large-v3")


if __name__ == "__main__":
    unittest.main()
