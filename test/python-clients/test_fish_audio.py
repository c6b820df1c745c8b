"""The vendor's library of today (fishaudio) and the one of its first programs (fish_audio_sdk), with nothing but base URL and key changed."""

import asyncio
import unittest

import fish_audio_sdk
import fishaudio
from fishaudio.types import FlushEvent, ReferenceAudio

from support import API_KEY, BASE_URL, CLIP, CLIP_TEXT, TEXT, SpeechAssertions


class FishAudio(SpeechAssertions, unittest.TestCase):
    def setUp(self) -> None:
        self.client = fishaudio.FishAudio(api_key=API_KEY, base_url=BASE_URL)
        self.addCleanup(self.client.close)

    def test_converts_and_streams(self) -> None:
        self.assert_mp3(self.client.tts.convert(text=TEXT))
        self.assert_wav(self.client.tts.convert(text=TEXT, format="wav"))
        slow = self.assert_speech(b"".join(self.client.tts.stream(text=TEXT, format="pcm")), 44_100)
        fast = self.assert_speech(self.client.tts.convert(text=TEXT, format="pcm", speed=1.5), 44_100, shortest=1)
        self.assertLess(fast / slow, 0.8)

    def test_speaks_over_the_socket_while_the_text_comes(self) -> None:
        texts = ["Good morning ", "to everybody ", FlushEvent(), "who is listening."]
        self.assert_speech(b"".join(self.client.tts.stream_websocket(iter(texts), format="pcm")), 44_100)
        self.assertEqual(b"".join(self.client.tts.stream_websocket(iter([]), format="pcm")), b"")

    def test_speaks_as_a_reference(self) -> None:
        references = [ReferenceAudio(audio=CLIP, text=CLIP_TEXT)]
        self.assert_speech(self.client.tts.convert(text=TEXT, references=references, format="pcm"), 44_100)

    def test_transcribes(self) -> None:
        result = self.client.asr.transcribe(audio=CLIP, language="en")
        self.assert_transcript(result.text)
        self.assertEqual(" ".join(segment.text for segment in result.segments), result.text)
        self.assertEqual(self.client.asr.transcribe(audio=CLIP, include_timestamps=False).segments, [])

    def test_makes_finds_changes_and_deletes_a_voice(self) -> None:
        made = self.client.voices.create(title="A reader", voices=[CLIP], tags=["calm", "english"], description="d")
        self.assertEqual((made.title, made.visibility, made.tags, made.languages), ("A reader", "private", ["calm", "english"], ["en"]))
        self.assert_transcript(made.samples[0].text)
        self.client.voices.update(made.id, title="Another", tags=["loud"])
        found = self.client.voices.list(self_only=True, title="another", tags=["loud"])
        self.assertEqual((found.total, [voice.id for voice in found.items]), (1, [made.id]))
        self.assert_speech(self.client.tts.convert(text=TEXT, reference_id=made.id, format="pcm"), 44_100)
        self.client.voices.delete(made.id)
        with self.assertRaises(fishaudio.NotFoundError):
            self.client.voices.get(made.id)

    def test_shows_the_account(self) -> None:
        self.assertGreaterEqual(self.client.account.get_credits().credit, 0)
        self.assertEqual(self.client.account.get_package().user_id, self.client.account.get_credits().user_id)

    def test_raises_its_own_errors(self) -> None:
        with self.assertRaises(fishaudio.AuthenticationError):
            fishaudio.FishAudio(api_key="wrong", base_url=BASE_URL).tts.convert(text=TEXT)
        with self.assertRaises(fishaudio.APIError) as refused:
            self.client.tts.convert(text=TEXT, reference_id="nobody")
        self.assertEqual(refused.exception.status, 400)
        with self.assertRaises(fishaudio.WebSocketError):
            list(self.client.tts.stream_websocket(iter([TEXT]), reference_id="nobody"))

    def test_works_asynchronously(self) -> None:
        async def run() -> tuple[bytes, bytes, str]:
            async def texts():
                for text in ["Good morning to everybody ", "who is listening."]:
                    yield text

            async with fishaudio.AsyncFishAudio(api_key=API_KEY, base_url=BASE_URL) as client:
                whole = await client.tts.convert(text=TEXT, format="pcm")
                live = b"".join([part async for part in client.tts.stream_websocket(texts(), format="pcm")])
                return whole, live, (await client.asr.transcribe(audio=CLIP)).text

        whole, live, text = asyncio.run(run())
        self.assert_speech(whole, 44_100)
        self.assert_speech(live, 44_100)
        self.assert_transcript(text)


class FishAudioOfOldPrograms(SpeechAssertions, unittest.TestCase):
    def setUp(self) -> None:
        self.session = fish_audio_sdk.Session(API_KEY, base_url=BASE_URL)

    def test_speaks_with_the_model_that_it_names_by_itself(self) -> None:
        self.assert_mp3(b"".join(self.session.tts(fish_audio_sdk.TTSRequest(text=TEXT))))
        request = fish_audio_sdk.TTSRequest(text=TEXT, format="pcm", prosody=fish_audio_sdk.Prosody(speed=1.2))
        self.assert_speech(b"".join(self.session.tts(request, backend="s1")), 44_100)

    def test_speaks_over_the_socket(self) -> None:
        with fish_audio_sdk.WebSocketSession(API_KEY, base_url=BASE_URL) as session:
            request = fish_audio_sdk.TTSRequest(text="", format="pcm")
            self.assert_speech(b"".join(session.tts(request, iter(["Good morning to everybody ", "who is listening."]))), 44_100)
            with self.assertRaises(fish_audio_sdk.WebSocketErr):
                list(session.tts(fish_audio_sdk.TTSRequest(text="", reference_id="nobody"), iter([TEXT])))

    def test_transcribes(self) -> None:
        self.assert_transcript(self.session.asr(fish_audio_sdk.ASRRequest(audio=CLIP)).text)
        timed = self.session.asr(fish_audio_sdk.ASRRequest(audio=CLIP, language="en", ignore_timestamps=False))
        self.assertGreater(len(timed.segments), 0)

    def test_keeps_voices(self) -> None:
        made = self.session.create_model(title="A reader", voices=[CLIP, CLIP], texts=[CLIP_TEXT, "one, two"], tags=["calm"], cover_image=b"\x89PNG\r\n\x1a\n")
        self.assertEqual([sample.text for sample in made.samples], [CLIP_TEXT, "one, two"])
        self.session.update_model(made.id, title="Another", visibility="unlist")
        self.assertEqual((self.session.get_model(made.id).title, self.session.get_model(made.id).visibility), ("Another", "unlist"))
        self.assertIn(made.id, [model.id for model in self.session.list_models(self_only=True).items])
        self.session.delete_model(made.id)
        with self.assertRaises(fish_audio_sdk.HttpCodeErr) as gone:
            self.session.get_model(made.id)
        self.assertEqual(gone.exception.status, 404)

    def test_shows_the_wallet(self) -> None:
        self.assertGreaterEqual(self.session.get_api_credit().credit, 0)
        self.assertEqual(self.session.get_package().user_id, self.session.get_api_credit().user_id)


if __name__ == "__main__":
    unittest.main()
