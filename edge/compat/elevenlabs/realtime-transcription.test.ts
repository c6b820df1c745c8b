import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { samplesToBytes } from "#audio/pcm";
import type { SocketSession } from "../../http/exchange.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import { SocketAudioBudget, socketAudioLimits } from "../../transcription/socket-audio-budget.js";
import { TranscriptionBench } from "../../transcription/testing/transcription-bench.js";
import { audioOfWords } from "#transcription/testing/scripted-client";
import { jsonRequest, RecordingConnection } from "../../speech/testing/speech-bench.js";
import { realtimeTranscriptionRoute } from "./realtime-transcription.js";

// Short: frames with it are decoded at once, not on a thread.
const { samples } = audioOfWords([{ pauseSteps: 20, steps: 30, loudness: 2001 }], 40);
const audio = Buffer.from(samplesToBytes(samples)).toString("base64");

interface Frame {
  message_type: string;
  [field: string]: unknown;
}

/** A client on one socket over scripted ears. While `gate` is shut, no file is opened. */
class Client {
  readonly bench = new TranscriptionBench();
  readonly connection = new RecordingConnection();
  readonly headers: Buffer[] = [];
  readonly context: TranscriptionContext;
  gate: Promise<void> = Promise.resolve();
  session: SocketSession | null = null;

  constructor(overrides: Partial<TranscriptionContext> = {}) {
    const { context } = this.bench;
    this.context = {
      ...context,
      openAudio: async (bytes, options) => {
        this.headers.push(Buffer.from(bytes.subarray(0, 44)));
        await this.gate;
        return context.openAudio(bytes, options);
      },
      ...overrides,
    };
  }

  async connect(query = ""): Promise<this> {
    this.session = (
      await realtimeTranscriptionRoute(this.context).upgrade({ ...jsonRequest({}, { "xi-api-key": "k" }), query })
    )(this.connection);
    return this;
  }

  async send(...frames: object[]): Promise<void> {
    for (const frame of frames) this.session?.message(Buffer.from(JSON.stringify(frame)), false);
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 200; turn++) await nextTurn();
  }

  get received(): Frame[] {
    return this.connection.sent.map((frame) => JSON.parse(Buffer.from(frame).toString()) as Frame);
  }

  get types(): string[] {
    return this.received.map((frame) => frame.message_type);
  }
}

/** Shuts a client's gate; the function opens it. */
function shut(client: Client): () => void {
  let open: () => void = () => undefined;
  client.gate = new Promise((resolve) => {
    open = resolve;
  });
  return open;
}

const commit = { audio_base_64: audio, commit: true };
const both = ["committed_transcript", "committed_transcript_with_timestamps"];

describe("ElevenLabs' realtime transcription", () => {
  it("is closed when the key is revoked", async () => {
    const client = await new Client().connect();
    client.bench.keys.revoke();
    expect(client.received.at(-1)).toMatchObject({ message_type: "auth_error" });
    expect(client.connection.closedWith?.code).toBe(1008);
  });

  it.each([
    ["", both],
    ["include_timestamps=true", both],
    ["include_timestamps=", both],
    ["include_language_detection=true", both],
    ["include_timestamps=false&include_language_detection=true", both],
    ["include_timestamps=false", both.slice(0, 1)],
    ["include_timestamps=False&include_language_detection=false", both.slice(0, 1)],
  ])("answers a commit at %j by %j", async (query, types) => {
    const client = await new Client().connect(query);
    await client.send(commit, commit);
    expect(client.types).toEqual(["session_started", ...types, ...types]);
    expect(client.received[0]).toMatchObject({ config: { include_timestamps: types.length === 2 } });
    expect(client.received[1]).toMatchObject({ text: "w2001" });
    if (types.length === 2)
      expect(client.received[2]).toMatchObject({ text: "w2001", words: [{ text: "w2001", start: 0.2, end: 0.5 }] });
  });

  it.each([8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000])("takes samples at %i Hz", async (rate) => {
    const client = await new Client().connect(`audio_format=pcm_${rate}`);
    await client.send(commit);
    expect(client.received[0]).toMatchObject({
      message_type: "session_started",
      config: { sample_rate: rate, audio_format: `pcm_${rate}` },
    });
    expect([client.headers[0]?.subarray(0, 4).toString(), client.headers[0]?.readUInt32LE(24)]).toEqual(["RIFF", rate]);
    expect(client.types).toContain("committed_transcript");
  });

  it.each([
    "pcm_7999",
    "pcm_48001",
    "pcm_96000",
    "pcm_0",
    "pcm_016000",
    "pcm",
    "pcm_",
    "pcm_16000_16",
    "ulaw_8000",
    "mp3_44100_128",
    "",
  ])("refuses %j", async (format) => {
    await expect(new Client().connect(`audio_format=${format}`)).rejects.toMatchObject({
      code: "unsupported_format",
      status: 400,
    });
  });

  it("says so when the team's last place is gone by the time that it opens", async () => {
    const client = new Client();
    const open = await realtimeTranscriptionRoute({ ...client.context, teamSlots: client.context.teamSlots }).upgrade(
      jsonRequest({}),
    );
    client.context.teamSlots.take = () => {
      throw new ServiceError("too_many_requests");
    };
    const session = open(client.connection);
    session.message(Buffer.from(JSON.stringify(commit)), false);
    await client.settle();
    session.end();
    expect([client.types, client.connection.closedWith?.code]).toEqual([["rate_limited"], 1008]);
  });
});

describe("what a realtime transcription socket holds", () => {
  it("is bounded in bytes; the socket lives on", async () => {
    const socketAudio = new SocketAudioBudget({ ...socketAudioLimits, bytesPerSocket: samples.length * 3 });
    const client = await new Client({ socketAudio }).connect();
    const open = shut(client);
    await client.send(commit, commit);
    expect(client.types).toEqual(["session_started", "queue_overflow"]);
    open();
    await client.settle();
    await client.send(commit);
    expect(client.types).toEqual(["session_started", "queue_overflow", ...both, ...both]);
    expect([socketAudio.bytes, socketAudio.commits]).toEqual([0, 0]);
  });

  it("is bounded in commits; the audio of a throttled one is kept", async () => {
    const socketAudio = new SocketAudioBudget({ ...socketAudioLimits, commitsPerSocket: 2 });
    const client = await new Client({ socketAudio }).connect();
    const open = shut(client);
    await client.send(commit, { audio_base_64: "", commit: true }, commit);
    expect(client.types).toEqual(["session_started", "commit_throttled"]);
    open();
    await client.settle();
    await client.send({ audio_base_64: "", commit: true });
    expect(
      client.received.filter((frame) => frame.message_type === "committed_transcript").map((frame) => frame["text"]),
    ).toEqual(["w2001", "", "w2001"]);
  });

  it("is bounded together with the other sockets of the process", async () => {
    const socketAudio = new SocketAudioBudget({ ...socketAudioLimits, totalBytes: samples.length * 3 });
    const [one, other] = [await new Client({ socketAudio }).connect(), await new Client({ socketAudio }).connect()];
    await one.send({ audio_base_64: audio });
    await other.send(commit);
    expect(other.types).toEqual(["session_started", "resource_exhausted"]);
    expect(other.received[1]).toMatchObject({ error: expect.stringMatching(/./), message: expect.stringMatching(/./) });
    one.session?.end();
    await other.send(commit);
    expect(other.types).toEqual(["session_started", "resource_exhausted", ...both]);
  });

  it("is given back when the client goes away, and no commit that waits is transcribed", async () => {
    const socketAudio = new SocketAudioBudget();
    const client = await new Client({ socketAudio }).connect();
    const open = shut(client);
    await client.send(commit, commit, commit, { audio_base_64: audio });
    expect([socketAudio.commits, socketAudio.bytes]).toEqual([3, samples.length * 8]);
    client.session?.end();
    open();
    await client.settle();
    expect([socketAudio.commits, socketAudio.bytes, client.headers.length]).toEqual([0, 0, 1]);
    expect(client.types).toEqual(["session_started"]);
  });

  it("is not kept when a transcription fails", async () => {
    const client = await new Client().connect("language_code=xx");
    await client.send(commit, { audio_base_64: "", commit: true });
    expect(client.types).toEqual(["session_started", "input_error", ...both]);
    expect(client.received[2]).toMatchObject({ text: "" });
  });
});
