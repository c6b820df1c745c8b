"""OpenAI's own library, with nothing but base URL and key changed."""

import base64
import unittest

import openai

from support import API_KEY, BASE_URL, CLIP, TEXT, TLS_BASE_URL, SpeechAssertions

RATE = 24_000


class OpenAI(SpeechAssertions, unittest.TestCase):
    def setUp(self) -> None:
        self.client = openai.OpenAI(base_url=f"{BASE_URL}/compat/v1", api_key=API_KEY)
        self.addCleanup(self.client.close)

    def speech(self, **change) -> bytes:
        return self.client.audio.speech.create(**{"model": "tts-1", "voice": "default", "input": TEXT, **change}).content

    def test_speaks_in_the_formats_that_there_are(self) -> None:
        self.assert_mp3(self.speech(response_format="mp3"))
        self.assert_wav(self.speech(response_format="wav"))
        self.assertEqual(self.speech(response_format="opus")[:4], b"OggS")

    def test_streams_pcm_of_24_khz(self) -> None:
        # Every player of this library's pcm plays 24 kHz.
        with self.client.audio.speech.with_streaming_response.create(model="gpt-4o-mini-tts", voice="default", input=TEXT, response_format="pcm") as answer:
            seconds = self.assert_speech(b"".join(answer.iter_bytes()), RATE)
        self.assertLess(abs(seconds - self.assert_wav(self.speech(response_format="wav"))), 0.2)

    def test_speaks_faster(self) -> None:
        self.assertLess(len(self.speech(response_format="pcm", speed=2)) / len(self.speech(response_format="pcm")), 0.65)

    def test_speaks_as_events(self) -> None:
        events = self.client.post(
            "/audio/speech",
            body={"model": "gpt-4o-mini-tts", "voice": "default", "input": TEXT, "response_format": "pcm", "stream_format": "sse"},
            cast_to=object,
            stream=True,
            stream_cls=openai.Stream[object],
        )
        received = list(events)
        self.assertEqual(received[-1]["type"], "speech.audio.done")
        audio = b"".join(base64.b64decode(event["audio"]) for event in received if event["type"] == "speech.audio.delta")
        self.assert_speech(audio, RATE)

    def test_transcribes_in_every_format(self) -> None:
        ask = {"file": ("clip.flac", CLIP), "model": "whisper-1"}
        self.assert_transcript(self.client.audio.transcriptions.create(**ask).text)
        self.assert_transcript(self.client.audio.transcriptions.create(**ask, response_format="text"))
        self.assertRegex(self.client.audio.transcriptions.create(**ask, response_format="srt"), r"^1\n00:00:0\d,\d{3} --> ")
        self.assertRegex(self.client.audio.transcriptions.create(**ask, response_format="vtt"), r"^WEBVTT\n")
        verbose = self.client.audio.transcriptions.create(**ask, response_format="verbose_json", timestamp_granularities=["word"])
        self.assert_transcript(" ".join(word.word for word in verbose.words))

    def test_streams_a_transcript(self) -> None:
        events = list(self.client.audio.transcriptions.create(file=("clip.flac", CLIP), model="gpt-4o-transcribe", stream=True))
        self.assertEqual(events[-1].type, "transcript.text.done")
        self.assert_transcript(events[-1].text)
        self.assertEqual("".join(event.delta for event in events if event.type == "transcript.text.delta"), events[-1].text)

    def test_speaks_a_chat_message(self) -> None:
        ask = {"model": "service/s2.1-pro", "modalities": ["text", "audio"], "messages": [{"role": "user", "content": TEXT}]}
        whole = self.client.chat.completions.create(**ask, audio={"voice": "default", "format": "wav"})
        self.assertEqual(whole.choices[0].message.audio.transcript, TEXT)
        self.assert_wav(base64.b64decode(whole.choices[0].message.audio.data))
        streamed = self.client.chat.completions.create(**ask, audio={"voice": "default", "format": "pcm16"}, stream=True)
        deltas = [getattr(chunk.choices[0].delta, "audio", None) for chunk in streamed if chunk.choices]
        self.assert_speech(b"".join(base64.b64decode(delta.data or "") for delta in deltas if delta is not None), RATE)

    def test_understands_a_chat_message(self) -> None:
        wav = self.speech(response_format="wav", speed=0.9)
        part = {"type": "input_audio", "input_audio": {"data": base64.b64encode(wav).decode(), "format": "wav"}}
        answer = self.client.chat.completions.create(model="service/transcribe-1", messages=[{"role": "user", "content": [part]}])
        self.assert_transcript(answer.choices[0].message.content, TEXT)

    def test_lists_models_without_a_key(self) -> None:
        models = openai.OpenAI(base_url=f"{BASE_URL}/compat/v1", api_key="none").models.list()
        self.assertIn("service/transcribe-1", [model.id for model in models])

    def test_raises_its_own_errors(self) -> None:
        with self.assertRaises(openai.BadRequestError) as refused:
            self.speech(voice="alloy")
        self.assertEqual((refused.exception.status_code, refused.exception.body["type"]), (400, "invalid_request_error"))
        with self.assertRaises(openai.BadRequestError):
            self.speech(instructions="Whisper")
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=f"{BASE_URL}/compat/v1", api_key="wrong").audio.speech.create(model="tts-1", voice="default", input=TEXT)
        with self.assertRaises(openai.NotFoundError):
            self.client.audio.translations.create(model="whisper-1", file=("clip.flac", CLIP))


class OpenAIRealtime(SpeechAssertions, unittest.TestCase):
    """Over TLS, as older versions of the library insist."""

    def setUp(self) -> None:
        self.client = openai.OpenAI(base_url=f"{TLS_BASE_URL}/compat/v1", api_key=API_KEY)
        self.addCleanup(self.client.close)

    def until(self, connection, kind: str) -> list:
        """Events up to the first of this kind."""
        events = []
        for event in connection:
            self.assertNotEqual(event.type, "error", getattr(event, "error", None))
            events.append(event)
            if event.type == kind:
                break
        return events

    def test_speaks_what_is_written(self) -> None:
        with self.client.realtime.connect(model="gpt-realtime") as connection:
            self.until(connection, "session.created")
            connection.conversation.item.create(item={"type": "message", "role": "user", "content": [{"type": "input_text", "text": TEXT}]})
            connection.response.create()
            events = self.until(connection, "response.done")
        self.assertEqual(events[-1].response.status, "completed")
        self.assert_speech(b"".join(base64.b64decode(event.delta) for event in events if event.type == "response.output_audio.delta"), RATE)

    def test_transcribes_what_is_said(self) -> None:
        said = openai.OpenAI(base_url=f"{BASE_URL}/compat/v1", api_key=API_KEY).audio.speech.create(
            model="tts-1", voice="default", input=TEXT, response_format="wav", speed=0.9, extra_body={"sample_rate": 24_000}
        )
        pcm = said.content[44:]
        with self.client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
            self.until(connection, "session.created")
            connection.session.update(session={"type": "transcription", "audio": {"input": {"transcription": {"model": "whisper-1"}, "turn_detection": None}}})
            self.until(connection, "session.updated")
            for start in range(0, len(pcm), 16_000):
                connection.input_audio_buffer.append(audio=base64.b64encode(pcm[start : start + 16_000]).decode())
            connection.input_audio_buffer.commit()
            events = self.until(connection, "conversation.item.input_audio_transcription.completed")
        self.assert_transcript(events[-1].transcript, TEXT)


if __name__ == "__main__":
    unittest.main()
