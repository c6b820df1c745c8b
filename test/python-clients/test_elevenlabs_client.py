"""ElevenLabs' own library, with nothing but base URL and key changed."""

import asyncio
import base64
import unittest

from elevenlabs import AudioFormat, CommitStrategy, ElevenLabs, RealtimeEvents, VoiceSettings
from elevenlabs.core.api_error import ApiError

import fishaudio
from support import API_KEY, BASE_URL, CLIP, CLIP_TEXT, TLS_BASE_URL, SpeechAssertions

TEXT = "Good evening, dear listeners. This is the second sentence, and it is a little longer than the first one."
MODEL = "eleven_multilingual_v2"


class ElevenLabsCase(SpeechAssertions, unittest.TestCase):
    def setUp(self) -> None:
        self.client = ElevenLabs(base_url=f"{BASE_URL}/compat/elevenlabs", api_key=API_KEY)

    def speech(self, output_format: str = "pcm_16000", text: str = TEXT, **change) -> bytes:
        return b"".join(self.client.text_to_speech.convert("default", text=text, model_id=MODEL, output_format=output_format, **change))

    def assert_refused(self, status: int, word: str, call) -> None:
        with self.assertRaises(ApiError) as refused:
            call()
        self.assertEqual((refused.exception.status_code, refused.exception.body["detail"]["status"]), (status, word))


class Speech(ElevenLabsCase):
    def test_converts_and_streams(self) -> None:
        self.assert_mp3(self.speech("mp3_44100_128"))
        whole = self.assert_speech(self.speech(), 16_000, 3, 12)
        streamed = b"".join(self.client.text_to_speech.stream("default", text=TEXT, model_id=MODEL, output_format="pcm_16000"))
        self.assertEqual(self.assert_speech(streamed, 16_000, 3, 12), whole)
        fast = self.speech(voice_settings=VoiceSettings(stability=0.5, similarity_boost=0.5, speed=1.2))
        self.assertLess(len(fast) / len(streamed), 0.9)

    def test_tells_when_each_character_is_spoken(self) -> None:
        answer = self.client.text_to_speech.convert_with_timestamps("default", text=TEXT, model_id=MODEL, output_format="pcm_16000")
        seconds = self.assert_speech(base64.b64decode(answer.audio_base_64), 16_000, 3, 12)
        self.assertEqual("".join(answer.alignment.characters), TEXT)
        self.assertLess(abs(answer.alignment.character_end_times_seconds[-1] - seconds), 0.5)
        lines = list(self.client.text_to_speech.stream_with_timestamps("default", text=TEXT, model_id=MODEL, output_format="pcm_16000"))
        self.assert_speech(b"".join(base64.b64decode(line.audio_base_64) for line in lines), 16_000, 3, 12)
        self.assertEqual("".join("".join(line.alignment.characters) for line in lines if line.alignment), TEXT)

    def test_speaks_in_phrases_while_the_words_come(self) -> None:
        # The library says with every word that it may be spoken: word by word it would take twice as long.
        client = ElevenLabs(base_url=f"{TLS_BASE_URL}/compat/elevenlabs", api_key=API_KEY)
        words = (f"{word} " for word in TEXT.split())
        live = b"".join(client.text_to_speech.convert_realtime("default", text=words, model_id=MODEL, output_format="pcm_16000"))
        seconds = self.assert_speech(live, 16_000, 3, 15)
        self.assertLess(seconds / (len(self.speech()) / 2 / 16_000), 1.3)

    def test_raises_its_own_errors(self) -> None:
        convert = self.client.text_to_speech.convert
        self.assert_refused(400, "provider_error", lambda: list(convert("nobody", text=TEXT, model_id=MODEL)))
        self.assert_refused(404, "model_not_found", lambda: list(convert("default", text=TEXT, model_id="service/nonsense")))
        self.assert_refused(400, "invalid_request", lambda: list(convert("default", text=TEXT, model_id=MODEL, output_format="ulaw_8000")))
        stranger = ElevenLabs(base_url=f"{BASE_URL}/compat/elevenlabs", api_key="wrong")
        self.assert_refused(401, "provider_error", lambda: list(stranger.text_to_speech.convert("default", text=TEXT, model_id=MODEL)))


class Transcription(ElevenLabsCase):
    def test_transcribes_a_file(self) -> None:
        answer = self.client.speech_to_text.convert(model_id="scribe_v1", file=("clip.flac", CLIP), language_code="en", tag_audio_events=False)
        self.assert_transcript(answer.text)
        self.assertEqual("".join(word.text for word in answer.words), answer.text)
        self.assertEqual(answer.language_code, "en")

    def test_refuses_what_it_cannot_do(self) -> None:
        convert = self.client.speech_to_text.convert
        self.assert_refused(400, "invalid_request", lambda: convert(model_id="scribe_v1", file=("clip.flac", CLIP), diarize=True))
        self.assert_refused(400, "invalid_request", lambda: convert(model_id="scribe_v1", file=("clip.flac", CLIP), enable_logging=False))

    def realtime(self, rate: int, pcm: bytes, **options) -> dict[str, list]:
        """Commits this audio as one utterance; gives the frames up to the close by their kind."""
        frames: dict[str, list] = {}

        async def run() -> None:
            client = ElevenLabs(base_url=f"{TLS_BASE_URL}/compat/elevenlabs", api_key=API_KEY)
            last = RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS if options.get("include_timestamps") else RealtimeEvents.COMMITTED_TRANSCRIPT
            done = asyncio.Event()
            connection = await client.speech_to_text.realtime.connect(
                {"model_id": "scribe_v2_realtime", "audio_format": AudioFormat(f"pcm_{rate}"), "sample_rate": rate, "commit_strategy": CommitStrategy.MANUAL, **options}
            )
            for event in (RealtimeEvents.COMMITTED_TRANSCRIPT, RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS, RealtimeEvents.ERROR):
                connection.on(event, lambda data, event=event: (frames.setdefault(event.value, []).append(data), done.set() if event in (last, RealtimeEvents.ERROR) else None))
            for start in range(0, len(pcm), rate):
                await connection.send({"audio_base_64": base64.b64encode(pcm[start : start + rate]).decode()})
            await connection.commit()
            await asyncio.wait_for(done.wait(), 30)
            # A frame that were still to come would come before the answer to the next commit.
            done.clear()
            await connection.send({"audio_base_64": base64.b64encode(bytes(rate)).decode()})
            await connection.commit()
            await asyncio.wait_for(done.wait(), 30)
            await connection.close()

        asyncio.run(run())
        self.assertNotIn("error", frames)
        return frames

    def test_transcribes_while_it_is_said(self) -> None:
        said = self.speech(text=CLIP_TEXT)
        frames = self.realtime(16_000, said)
        self.assert_transcript(frames["committed_transcript"][0]["text"])
        # The library says that it wants no times: with the second frame each sentence would come twice.
        self.assertNotIn("committed_transcript_with_timestamps", frames)

    def test_transcribes_with_times_when_asked(self) -> None:
        frames = self.realtime(16_000, self.speech(text=CLIP_TEXT), include_timestamps=True)
        timed = frames["committed_transcript_with_timestamps"][0]
        self.assertEqual(timed["text"], frames["committed_transcript"][0]["text"])
        self.assert_transcript(" ".join(word["text"] for word in timed["words"] if word["type"] == "word"))

    def test_takes_any_rate_of_pcm(self) -> None:
        said = fishaudio.FishAudio(api_key=API_KEY, base_url=BASE_URL).tts.convert(text=CLIP_TEXT, format="pcm")
        for rate in (22_050, 44_100, 48_000):
            with self.subTest(rate=rate):
                # Every second sample of 44.1 kHz is 22.05 kHz; read at 48 kHz it is a little fast.
                pcm = said if rate > 22_050 else b"".join(said[start : start + 2] for start in range(0, len(said) - 1, 4))
                self.assert_transcript(self.realtime(rate, pcm)["committed_transcript"][0]["text"])


class Library(ElevenLabsCase):
    def test_shows_voices_models_and_the_user(self) -> None:
        fish = fishaudio.FishAudio(api_key=API_KEY, base_url=BASE_URL)
        voice = fish.voices.create(title="A reader", voices=[CLIP], texts=[CLIP_TEXT], tags=["calm"])
        try:
            self.assertIn(voice.id, [shown.voice_id for shown in self.client.voices.get_all().voices])
            found = self.client.voices.search(search="reader")
            self.assertIn(voice.id, [shown.voice_id for shown in found.voices])
            self.assertEqual((self.client.voices.get(voice.id).name, self.client.voices.get(voice.id).category), ("A reader", "cloned"))
            pcm = b"".join(self.client.text_to_speech.convert(voice.id, text=TEXT, model_id=MODEL, output_format="pcm_16000"))
            self.assert_speech(pcm, 16_000, 3, 12)
        finally:
            fish.voices.delete(voice.id)
        self.assertIn("service/s1", [model.model_id for model in self.client.models.list()])
        self.assertTrue(self.client.user.get().subscription.tier)

    def test_says_that_a_voice_is_missing(self) -> None:
        self.assert_refused(404, "voice_not_found", lambda: self.client.voices.get("nobody"))


if __name__ == "__main__":
    unittest.main()
