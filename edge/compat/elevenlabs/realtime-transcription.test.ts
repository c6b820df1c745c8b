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

/** A client on one socket over scripted recognizers. While `gate` is shut, they answer nothing. */
class Client {
  readonly bench = new TranscriptionBench();
  readonly connection = new RecordingConnection();
  readonly context: TranscriptionContext;
  gate: Promise<void> = Promise.resolve();
  session: SocketSession | null = null;

  constructor(overrides: Partial<TranscriptionContext> = {}) {
    const { context } = this.bench;
    this.context = {
      ...context,
      recognition: {
        served: (task) => context.recognition.served(task),
        open: (settings) => {
          const stream = context.recognition.open(settings);
          const recognize: typeof stream.recognize = async (...audio) => {
            await this.gate;
            return stream.recognize(...audio);
          };
          return { ...stream, recognize };
        },
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

  /** How often words were asked for. */
  get recognitions(): number {
    return this.bench.recognition.lengths.filter(({ task }) => task === "transcribe").length;
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
    expect(client.bench.usage).toMatchObject([{ audioMs: Math.round((samples.length * 1000) / rate) }]);
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

describe("partial transcripts", () => {
  const spoken = audioOfWords(
    [2001, 2002, 2003].map((loudness) => ({ pauseSteps: 30, steps: 60, loudness })),
    40,
  ).samples;
  const part = (from: number, to: number) => ({
    audio_base_64: Buffer.from(samplesToBytes(spoken.slice(from * 160, to * 160))).toString("base64"),
  });
  const textsOf = (client: Client, type: string) =>
    client.received.filter((frame) => frame.message_type === type).map((frame) => frame["text"]);

  it("come while the turn is spoken, and only before its transcript", async () => {
    const client = await new Client().connect();
    for (let step = 0; step < 310; step += 10) await client.send(part(step, step + 10));
    const partials = textsOf(client, "partial_transcript");
    expect(new Set(partials).size).toBe(partials.length);
    expect(partials).toEqual(["w2001", "w2001 w2002", "w2001 w2002 w2003"]);
    const before = client.received.length;
    await client.send({ audio_base_64: "", commit: true });
    expect(client.types.slice(before)).toEqual(both);
    expect(textsOf(client, "committed_transcript")).toEqual(["w2001 w2002 w2003"]);
    expect(client.bench.usage).toMatchObject([{ outcome: "completed", audioMs: 3100 }]);
  });

  it("are of recognizers that know the words which the client expects", async () => {
    const client = await new Client().connect("keyterms=Parley&keyterms=Home%20Assistant");
    await client.send({ audio_base_64: audio }, commit);
    const opened = client.bench.recognition.opened.filter(({ task }) => task === "transcribe");
    expect(opened.length).toBeGreaterThan(0);
    for (const { keyterms } of opened) expect(keyterms).toEqual(["Parley", "Home", "Assistant"]);
  });

  it("are not made of silence", async () => {
    const client = await new Client().connect();
    for (let count = 0; count < 20; count++)
      await client.send({ audio_base_64: Buffer.alloc(16_000).toString("base64") });
    await client.send({ audio_base_64: "", commit: true });
    expect(client.types).toEqual(["session_started", ...both]);
    expect([textsOf(client, "committed_transcript"), client.recognitions]).toEqual([[""], 0]);
  });

  it("are charged when the client leaves with them", async () => {
    const client = await new Client().connect();
    await client.send(part(0, 100));
    expect(textsOf(client, "partial_transcript")).toEqual(["w2001"]);
    client.session?.end();
    await client.settle();
    expect(client.bench.usage).toMatchObject([{ outcome: "cancelled", audioMs: 1000 }]);
    expect(client.bench.recognition.openStreams).toBe(0);
  });

  it("are not sent to a client that has not taken what was sent before", async () => {
    const client = await new Client().connect();
    client.connection.behind = true;
    await client.send(part(0, 120));
    await client.send(part(120, 220));
    expect(textsOf(client, "partial_transcript")).toEqual(["w2001"]);
    client.connection.catchUp();
    await client.settle();
    await client.send(part(220, 310));
    expect(textsOf(client, "partial_transcript")).toEqual(["w2001", "w2001 w2002 w2003"]);
  });

  it("end with a failure, after which the commit is tried anew", async () => {
    const client = await new Client().connect();
    let isFailing = true;
    const { recognition } = client.context;
    client.context.recognition = {
      ...recognition,
      open: (settings) => {
        if (isFailing) throw new ServiceError("no_worker");
        return recognition.open(settings);
      },
    };
    await client.send(part(0, 120));
    await client.send(part(120, 220));
    expect(client.types).toEqual(["session_started"]);
    expect(client.bench.usage).toEqual([]);
    isFailing = false;
    await client.send({ ...part(220, 310), commit: true });
    expect(textsOf(client, "committed_transcript")).toEqual(["w2001 w2002 w2003"]);
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
    const opened = client.bench.recognition.opened.filter(({ task }) => task === "transcribe");
    expect([socketAudio.commits, socketAudio.bytes, opened.length]).toEqual([0, 0, 1]);
    expect(client.types).toEqual(["session_started"]);
  });

  it("is not kept when a transcription fails", async () => {
    const client = await new Client().connect("language_code=xx");
    await client.send(commit, { audio_base_64: "", commit: true });
    expect(client.types).toEqual(["session_started", "input_error", ...both]);
    expect(client.received[2]).toMatchObject({ text: "" });
  });
});
