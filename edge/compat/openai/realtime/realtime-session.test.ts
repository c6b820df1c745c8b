import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { samplesToBytes } from "#audio/pcm";
import { expectedSamples } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingConnection, SpeechBench } from "../../../speech/testing/speech-bench.js";
import { SocketAudioBudget, socketAudioLimits } from "../../../transcription/socket-audio-budget.js";
import type { SocketSession } from "../../../http/exchange.js";
import { realtimeRoutes } from "./realtime-socket.js";
import type { AudioTranscript, SocketTurn, TranscribeTurn } from "../../transcribe-audio.js";

interface Event {
  type: string;
  event_id: string;
  [field: string]: unknown;
}

/** A client on one socket over a scripted cluster. */
class Client {
  readonly bench = new SpeechBench();
  readonly connection = new RecordingConnection();
  /** What was committed, and how it is answered. */
  readonly committed: Uint8Array[] = [];
  audioBudget = new SocketAudioBudget();
  answer: (audio: Uint8Array, turn: SocketTurn) => Promise<AudioTranscript> = async (audio) => ({
    text: `${audio.length} bytes`,
    words: [],
    seconds: 1.5,
  });
  #session: SocketSession | null = null;

  async connect(query = "", headers: Record<string, string> = {}): Promise<this> {
    const transcribe: TranscribeTurn = async (turn) => {
      const parts: Uint8Array[] = [];
      for await (const bytes of turn.audio.read(turn.signal)) parts.push(Buffer.from(bytes));
      const audio = Buffer.concat(parts);
      this.committed.push(audio);
      return this.answer(audio, turn);
    };
    const { context } = this.bench;
    const [route] = realtimeRoutes({
      speech: context,
      audioBudget: this.audioBudget,
      admitTranscription: context.authenticate,
      transcriberFor: () => transcribe,
    });
    const open = await route!.upgrade({ ...jsonRequest({}, headers), query });
    this.#session = open(this.connection);
    return this;
  }

  send(...events: object[]): void {
    for (const event of events) this.raw(JSON.stringify(event));
  }

  raw(text: string): void {
    this.#session?.message(Buffer.from(text), false);
  }

  leave(): void {
    this.#session?.end();
  }

  get events(): Event[] {
    return this.connection.sent.map((frame) => JSON.parse(Buffer.from(frame).toString()) as Event);
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  last(type: string): Event | undefined {
    return this.events.findLast((event) => event.type === type);
  }
}

const say = (text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});
const respond = { type: "response.create" };
const commit = { type: "input_audio_buffer.commit" };
const FAILED = "conversation.item.input_audio_transcription.failed";
/** A fifth of a second at 24 kHz. */
const PART_BYTES = 9600;
/** Audio that can be told from other audio: all its bytes are `mark`. */
const append = (mark: number) => ({
  type: "input_audio_buffer.append",
  audio: Buffer.alloc(PART_BYTES, mark).toString("base64"),
});
/** The marks in committed audio, in their order. */
const markOf = (file: Uint8Array): number[] =>
  Array.from({ length: file.length / PART_BYTES }, (_, part) => file[part * PART_BYTES] ?? 0);
const silence = Buffer.alloc(48_000).toString("base64");

describe("a realtime session that speaks", () => {
  it("speaks what was written since the last response, in the order of events that clients know", async () => {
    const client = await new Client().connect("model=gpt-realtime");
    client.send(say("Hello there, my friend. How are you?"), { ...respond, event_id: "mine" });
    await client.bench.pass(3000);
    const order = client.types.filter((type, index, all) => type !== all[index - 1] && !type.endsWith(".delta"));
    expect(order).toEqual([
      "session.created",
      "conversation.item.added",
      "conversation.item.done",
      "response.created",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_audio.done",
      "response.output_audio_transcript.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.done",
    ]);
    const committed = client.events
      .filter(({ type }) => type === "response.output_audio.delta")
      .map(({ delta }) => Buffer.from(String(delta), "base64"));
    const chunks = client.bench.cluster.submits
      .map(({ submit }) => submit.chunk)
      .filter((chunk) => chunk.task === "speak");
    expect(
      Buffer.concat(committed).equals(Buffer.concat(chunks.map((chunk) => samplesToBytes(expectedSamples(chunk))))),
    ).toBe(true);
    expect(client.last("response.done")).toMatchObject({
      response: { status: "completed", output: [{ role: "assistant" }] },
    });
    expect(client.last("response.output_audio_transcript.done")).toMatchObject({
      transcript: "Hello there, my friend. How are you?",
    });
    expect(new Set(client.events.map(({ event_id }) => event_id)).size).toBe(client.events.length);

    client.send(respond);
    await client.bench.pass(1000);
    expect(client.last("response.done")).toMatchObject({ response: { status: "failed" } });
    client.send({
      type: "response.create",
      response: { input: [{ type: "message", content: [{ type: "input_text", text: "Read this." }] }] },
    });
    await client.bench.pass(2000);
    expect(client.last("response.output_audio_transcript.done")).toMatchObject({ transcript: "Read this." });
  });

  it("is cancelled, and refuses two responses at once", async () => {
    const client = await new Client().connect();
    client.send(say("A long sentence that is spoken. ".repeat(20)), respond, respond);
    await client.bench.pass(60);
    expect(client.last("error")).toMatchObject({ error: { code: "response_already_active" } });
    client.send({ type: "response.cancel" });
    await client.bench.pass(500);
    expect(client.last("response.done")).toMatchObject({ response: { status: "cancelled" } });
    expect(client.bench.context.speech.activeStreams).toBe(0);
    client.send(say("Short."), respond);
    await client.bench.pass(2000);
    expect(client.last("response.done")).toMatchObject({ response: { status: "completed" } });
  });

  it("ends all work when the client goes away", async () => {
    const client = await new Client().connect();
    client.send(say("A sentence of speech. ".repeat(20)), respond);
    await client.bench.pass(100);
    client.leave();
    const recognized = client.connection.sent.length;
    await client.bench.pass(2000);
    expect(client.bench.context.speech.activeStreams).toBe(0);
    expect(client.connection.sent.length).toBe(recognized);
    expect(client.bench.usage).toMatchObject([{ route: "/compat/realtime", outcome: "cancelled" }]);
  });
});

describe("a realtime session that listens", () => {
  it("answers to both names, and transcribes in the order of the commits", async () => {
    const client = await new Client().connect("intent=transcription");
    expect(client.types).toEqual(["transcription_session.created", "session.created"]);
    client.send({
      type: "session.update",
      session: {
        type: "transcription",
        audio: { input: { format: { type: "audio/pcm", rate: 16_000 }, transcription: { language: "en" } } },
      },
    });
    expect(client.last("session.updated")).toMatchObject({
      session: { audio: { input: { format: { rate: 16_000 }, transcription: { language: "en" } } } },
    });
    client.send(
      { type: "input_audio_buffer.append", audio: silence },
      { type: "input_audio_buffer.append", audio: silence },
      { type: "input_audio_buffer.commit" },
    );
    await client.bench.pass(100);
    expect(client.types.slice(3)).toEqual([
      "input_audio_buffer.committed",
      "conversation.item.added",
      "conversation.item.done",
      "conversation.item.input_audio_transcription.completed",
    ]);
    expect(client.last("conversation.item.input_audio_transcription.completed")).toMatchObject({
      item_id: client.last("input_audio_buffer.committed")?.["item_id"],
      content_index: 0,
      transcript: "96000 bytes",
      usage: { type: "duration", seconds: 1.5 },
    });
  });

  it("tells what went wrong, and forgets what was cleared", async () => {
    const client = await new Client().connect();
    client.answer = () => Promise.reject(new ServiceError("overloaded"));
    client.send({ type: "input_audio_buffer.append", audio: silence }, { type: "input_audio_buffer.commit" });
    await client.bench.pass(100);
    expect(client.last(FAILED)).toMatchObject({ error: { type: "server_error", code: null } });
    client.send(
      { type: "input_audio_buffer.append", audio: silence },
      { type: "input_audio_buffer.clear" },
      { type: "input_audio_buffer.commit" },
    );
    expect(client.last("error")).toMatchObject({ error: { code: "input_audio_buffer_commit_empty" } });
    expect(client.committed).toHaveLength(1);
  });

  it("keeps the audio of a transcription that failed, before what has been appended since", async () => {
    const client = await new Client().connect();
    let isWell = false;
    client.answer = async (audio) => {
      if (!isWell) throw new ServiceError("overloaded");
      return { text: `${audio.length} bytes`, words: [], seconds: 1 };
    };
    client.send(append(1), commit, append(2), commit, append(3));
    await client.bench.pass(100);
    expect(client.types.filter((type) => type === FAILED)).toHaveLength(2);
    isWell = true;
    client.send(commit);
    await client.bench.pass(100);
    expect(client.committed.map(markOf)).toEqual([[1], [2], [1, 2, 3]]);
    expect(client.last("conversation.item.input_audio_transcription.completed")).toMatchObject({
      item_id: client.last("input_audio_buffer.committed")?.["item_id"],
      transcript: `${3 * PART_BYTES} bytes`,
    });
    client.send(commit);
    expect(client.last("error")).toMatchObject({ error: { code: "input_audio_buffer_commit_empty" } });
  });

  it("keeps nothing that was cleared while its transcription was under way", async () => {
    const client = await new Client().connect();
    client.answer = () => Promise.reject(new ServiceError("overloaded"));
    client.send(append(1), commit, { type: "input_audio_buffer.clear" }, append(2));
    await client.bench.pass(100);
    client.send(commit);
    await client.bench.pass(100);
    expect(client.committed.map(markOf)).toEqual([[1], [2]]);
  });

  it("keeps the audio of a commit for which the conversation has no room", async () => {
    const client = await new Client().connect();
    client.send(append(1));
    for (let item = 0; item < 1024; item++) client.send(say("x"));
    client.send(commit);
    expect(client.last("error")).toMatchObject({ error: { code: "conversation_too_large" } });
    client.send(
      {
        type: "conversation.item.delete",
        item_id: (client.last("conversation.item.done")?.["item"] as { id: string }).id,
      },
      commit,
    );
    await client.bench.pass(100);
    expect(client.committed.map(markOf)).toEqual([[1]]);
  });
});

describe("what a realtime session holds", () => {
  /** A client whose transcriptions wait for `finish`. */
  async function waiting(limits: Partial<typeof socketAudioLimits>): Promise<{ client: Client; finish: () => void }> {
    const client = new Client();
    client.audioBudget = new SocketAudioBudget({ ...socketAudioLimits, ...limits });
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    client.answer = async () => {
      await gate;
      return { text: "", words: [], seconds: 1 };
    };
    return { client: await client.connect(), finish };
  }

  it.each([
    ["bytes of its own", { bytesPerSocket: 2 * PART_BYTES }, "input_audio_buffer_full", "invalid_request_error"],
    ["bytes of all sockets", { totalBytes: 2 * PART_BYTES }, "rate_limit_exceeded", "server_error"],
  ])("is bounded in %s, those under way too; the session goes on", async (_what, limits, code, type) => {
    const { client, finish } = await waiting(limits);
    client.send(append(1), commit, append(2), append(3));
    expect(client.last("error")).toMatchObject({ error: { code, type } });
    finish();
    await client.bench.pass(100);
    client.send(append(4), commit);
    await client.bench.pass(100);
    expect(client.committed.map(markOf)).toEqual([[1], [2, 4]]);
    expect([client.audioBudget.bytes, client.audioBudget.commits]).toEqual([0, 0]);
  });

  it.each([
    ["its own", { commitsPerSocket: 1 }, "invalid_request_error"],
    ["all sockets'", { totalCommits: 1 }, "server_error"],
  ])("is bounded in %s commits under way; the audio of one too many is kept", async (_what, limits, type) => {
    const { client, finish } = await waiting(limits);
    client.send(append(1), commit, append(2), commit);
    expect(client.last("error")).toMatchObject({ error: { code: "rate_limit_exceeded", type } });
    expect(client.types.filter((one) => one === "input_audio_buffer.committed")).toHaveLength(1);
    finish();
    await client.bench.pass(100);
    client.send(commit);
    await client.bench.pass(100);
    expect(client.committed.map(markOf)).toEqual([[1], [2]]);
  });

  it("is given back when the client goes away, and no commit that waits is transcribed", async () => {
    const { client, finish } = await waiting({});
    client.send(append(1), commit, append(2), commit, append(3));
    await client.bench.pass(20);
    client.leave();
    finish();
    await client.bench.pass(100);
    expect([client.audioBudget.bytes, client.audioBudget.commits, client.committed.length]).toEqual([0, 0, 1]);
  });
});

describe("what a realtime client gets wrong", () => {
  it.each<[string, object, string]>([
    ["an unknown type", { type: "dance" }, "unknown_event_type"],
    ["no type", {}, "invalid_event"],
    ["a list", [1], "invalid_event"],
    [
      "server-side turns",
      { type: "session.update", session: { turn_detection: { type: "server_vad" } } },
      "unsupported_turn_detection",
    ],
    ["answers in text", { type: "session.update", session: { output_modalities: ["text"] } }, "unsupported_modality"],
    [
      "telephone codecs",
      { type: "session.update", session: { audio: { output: { format: { type: "audio/pcmu" } } } } },
      "unsupported_audio_format",
    ],
    [
      "a rate that there is not",
      { type: "session.update", session: { audio: { output: { format: { type: "audio/pcm", rate: 22_050 } } } } },
      "unsupported_audio_format",
    ],
    ["a speed beyond 4", { type: "session.update", session: { audio: { output: { speed: 5 } } } }, "invalid_speed"],
    [
      "an item that is no message",
      { type: "conversation.item.create", item: { type: "function_call" } },
      "invalid_item",
    ],
    ["more text than an item holds", say("a".repeat(1024 * 1024 + 1)), "conversation_too_large"],
    ["deleting nothing", { type: "conversation.item.delete", item_id: "x" }, "item_not_found"],
    ["cancelling nothing", { type: "response.cancel" }, "response_cancel_not_active"],
    ["sound that is no base64", { type: "input_audio_buffer.append", audio: "%%" }, "invalid_audio"],
  ])("%s is an error event, and the session goes on", async (_what, event, code) => {
    const client = await new Client().connect();
    client.send({ ...event, event_id: "mine" });
    client.send({ type: "session.update", session: { voice: "default" } });
    await expect.poll(() => client.types.at(-1)).toBe("session.updated");
    if (!Array.isArray(event))
      expect(client.last("error")).toMatchObject({ error: { code, type: "invalid_request_error" } });
    expect(client.connection.closedWith).toBeNull();
  });

  it("is closed when the key is revoked", async () => {
    const client = await new Client().connect();
    client.bench.keys.revoke();
    expect(client.last("error")).toMatchObject({ error: { code: "invalid_api_key" } });
    expect(client.connection.closedWith?.code).toBe(1008);
  });

  it("is told when the event is no JSON", async () => {
    const client = await new Client().connect();
    client.raw("{");
    expect(client.last("error")).toMatchObject({ error: { code: "invalid_event" } });
  });

  it("cannot transcribe with options for speech", async () => {
    const client = await new Client().connect("", { "x-fish-temperature": "0.5" });
    client.send({ type: "input_audio_buffer.append", audio: silence }, { type: "input_audio_buffer.commit" });
    expect(client.last("error")).toMatchObject({ error: { code: "unsupported_native_options" } });
  });

  it("is refused over HTTP for an unknown model", async () => {
    await expect(new Client().connect("model=nonsense")).rejects.toMatchObject({ code: "unknown_model" });
  });
});
