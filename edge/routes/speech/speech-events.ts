import type { ServiceError } from "#protocol/errors";
import type { TimestampEvent } from "#protocol/speech/timestamps";
import type { WordTiming } from "#protocol/speech/chunk";
import { textToSpeechEvents } from "#protocol/operations/speech";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpResponder, HttpRoute } from "../../http/exchange.js";
import type { SpeechContext } from "../../speech/context.js";
import type { HttpSpeechWriter } from "../../speech/http-speech.js";
import { handleSpeech } from "./handle-speech.js";

const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };

/**
 * `POST /v1/tts/stream/with-timestamp`: the audio in server-sent events with the timing of its words (docs/protocol.md
 * "Speech with timestamps").
 */
export function speechEventsRoute(context: SpeechContext): HttpRoute {
  const route = textToSpeechEvents.path;
  return declaredRoute(textToSpeechEvents, (request, responder) =>
    handleSpeech({ context, route, request, responder, makeWriter: writeEvents }),
  );
}

/** The chunk that the audio given now belongs to. */
interface CurrentChunk {
  index: number;
  text: string;
  offsetSeconds: number;
  durationSeconds: number;
  words: WordTiming[];
  /** Whether the client has yet to see the newest words or duration. */
  unseen: boolean;
}

function writeEvents(responder: HttpResponder): HttpSpeechWriter {
  let current: CurrentChunk = { index: 0, text: "", offsetSeconds: 0, durationSeconds: 0, words: [], unseen: false };

  const send = (bytes: Uint8Array): boolean => {
    if (!responder.begun) responder.begin(200, headers);
    current.unseen = false;
    return responder.write(Buffer.from(`data: ${JSON.stringify(describe(current, bytes))}\n\n`));
  };
  return {
    async bytes(bytes) {
      if (!send(bytes)) await responder.writable();
    },
    chunk(event, sampleRate) {
      if (event.type === "chunk-started") {
        const offsetSeconds = event.offsetSamples / sampleRate;
        current = {
          index: event.chunkIndex,
          text: event.text,
          offsetSeconds,
          durationSeconds: 0,
          words: [],
          unseen: false,
        };
      } else if (event.type === "words") {
        current.words = [...current.words, ...event.words].sort((a, b) => a.startMs - b.startMs);
        current.durationSeconds = Math.max(current.durationSeconds, ...event.words.map((word) => word.endMs / 1000));
        current.unseen = true;
      } else {
        const durationSeconds = event.samples / sampleRate;
        if (Math.abs(durationSeconds - current.durationSeconds) >= 0.001) current.unseen = true;
        current.durationSeconds = durationSeconds;
        // The encoder may hold the chunk's last audio back: its timing must not wait for the next chunk, which replaces
        // it.
        if (current.unseen) send(new Uint8Array());
      }
    },
    async ended() {
      responder.end();
    },
    failed(error: ServiceError) {
      if (!responder.begun) return false;
      responder.end(
        Buffer.from(`event: error\ndata: ${JSON.stringify({ status: error.status, message: error.message })}\n\n`),
      );
      return true;
    },
  };
}

function describe(chunk: CurrentChunk, bytes: Uint8Array): TimestampEvent {
  const segments = chunk.words.map((word) => ({
    text: word.text,
    start: rounded(word.startMs / 1000),
    end: rounded(word.endMs / 1000),
  }));
  return {
    audio_base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    content: chunk.text,
    alignment: segments.length === 0 ? null : { segments, audio_duration: rounded(chunk.durationSeconds) },
    chunk_seq: chunk.index,
    chunk_audio_offset_sec: rounded(chunk.offsetSeconds),
  };
}

/** Tenths of a millisecond: finer than any ear or sample, without the digits of binary fractions. */
const rounded = (seconds: number): number => Math.round(seconds * 10_000) / 10_000;
