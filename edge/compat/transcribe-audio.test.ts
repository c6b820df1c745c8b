import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { samplesToBytes } from "#audio/pcm";
import type { SocketSession } from "../http/exchange.js";
import { TranscriptionBench } from "../transcription/testing/transcription-bench.js";
import { audioOfWords } from "#transcription/testing/scripted-client";
import {
  jsonRequest,
  RecordingConnection,
  RecordingResponder,
  SpeechBench,
  testPrincipal,
} from "../speech/testing/speech-bench.js";
import { dispatch } from "./testing/dispatch.js";
import { compatRoutes } from "./routes.js";
import { socketTranscriber } from "./transcribe-audio.js";

// Short: a chat request with it is decoded at once, not on a thread.
const { samples } = audioOfWords([{ pauseSteps: 20, steps: 30, loudness: 2001 }], 40);
const audio = Buffer.from(samplesToBytes(samples)).toString("base64");
const oneStream = { PARLEY_STREAMS_PER_TEAM: "1" };

/** All compatibility routes of an edge on which a team may have one stream. */
class Edge {
  readonly speech = new SpeechBench(oneStream);
  readonly transcription = new TranscriptionBench({ turnsOf: () => 20 }, oneStream);
  readonly teamSlots = this.speech.context.teamSlots;
  readonly routes = compatRoutes(this.speech.context, { ...this.transcription.context, teamSlots: this.teamSlots });

  async connect(
    path: string,
    query = "",
  ): Promise<{
    session: SocketSession;
    connection: RecordingConnection;
    received: () => { [field: string]: unknown }[];
  }> {
    const route = this.routes.sockets.find((one) => one.path === path);
    const connection = new RecordingConnection();
    const session = (await route!.upgrade({ ...jsonRequest({}), query }))(connection);
    return {
      session,
      connection,
      received: () => connection.sent.map((frame) => JSON.parse(Buffer.from(frame).toString())),
    };
  }

  async pass(): Promise<void> {
    await this.speech.pass(4000);
  }
}

const send = (session: SocketSession, ...frames: object[]): void => {
  for (const frame of frames) session.message(Buffer.from(JSON.stringify(frame)), false);
};

describe("a team at its limit of streams", () => {
  it("transcribes on ElevenLabs' realtime socket that it has", async () => {
    const edge = new Edge();
    const { session, received } = await edge.connect("/compat/elevenlabs/v1/speech-to-text/realtime");
    send(session, { audio_base_64: audio, commit: true }, { audio_base_64: audio, commit: true });
    await edge.pass();
    expect(received().filter((frame) => frame["message_type"] === "committed_transcript")).toMatchObject([
      { text: "w2001" },
      { text: "w2001" },
    ]);
    await expect(edge.connect("/compat/elevenlabs/v1/speech-to-text/realtime")).rejects.toMatchObject({
      code: "too_many_requests",
    });
    session.end();
    expect(() => edge.teamSlots.check(testPrincipal)).not.toThrow();
  });

  it("transcribes on OpenAI's realtime socket that it has", async () => {
    const edge = new Edge();
    const { session, received } = await edge.connect("/compat/v1/realtime", "model=gpt-realtime");
    const format = { type: "session.update", session: { input_audio_format: { type: "audio/pcm", rate: 16_000 } } };
    send(session, format, { type: "input_audio_buffer.append", audio }, { type: "input_audio_buffer.commit" });
    await edge.pass();
    expect(received().at(-1)).toMatchObject({
      type: "conversation.item.input_audio_transcription.completed",
      transcript: "w2001",
    });
    await expect(edge.connect("/compat/v1/realtime", "model=gpt-realtime")).rejects.toMatchObject({
      code: "too_many_requests",
    });
  });

  it("is asked for a place by a chat request with audio, for as long as it lasts", async () => {
    const edge = new Edge();
    const chat = edge.routes.http.find(
      ({ method, path }) => method === "POST" && path === "/compat/v1/chat/completions",
    );
    const body = {
      model: "whisper-1",
      messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: audio } }] }],
    };
    const [first, second, third] = [new RecordingResponder(), new RecordingResponder(), new RecordingResponder()];
    const running = dispatch(chat!, jsonRequest(body), first);
    await dispatch(chat!, jsonRequest(body), second);
    expect([first.status, second.status]).toEqual([0, 429]);
    await edge.pass();
    await running;
    expect(JSON.parse(first.body.toString())).toMatchObject({ choices: [{ message: { content: "w2001" } }] });
    await dispatch(chat!, jsonRequest(body), third);
    expect(third.status).toBe(200);
  });
});

it("that finds no room for its files does not shut the gate for other teams", async () => {
  const { context } = new TranscriptionBench({ turnsOf: () => 20 });
  const account = {
    add: async () => Promise.reject(new ServiceError("overloaded")),
    complete: () => undefined,
    close: () => undefined,
  };
  const full = { open: async () => account } as unknown as typeof context.uploads;
  const committed = {
    audio: { bytes: 2, read: () => ReadableStream.from([]), file: async () => samplesToBytes(samples) },
    sampleRate: null,
    language: null,
    signal: new AbortController().signal,
  };
  await expect(
    socketTranscriber({ ...context, uploads: full }, "/compat/realtime", jsonRequest({}))(committed),
  ).rejects.toMatchObject({ code: "overloaded" });
  await expect(socketTranscriber(context, "/compat/realtime", jsonRequest({}))(committed)).resolves.toMatchObject({
    text: "w2001",
  });
});
