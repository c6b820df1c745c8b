import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerPromptRequestSubject, type PromptRequest } from "#protocol/bus/voice-prompts";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { recording, writeTonePocket } from "#workers/engines/pocket/testing/tone-pocket";
import { medianPitchHz } from "#workers/engines/testing/pitch";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { postSpeech, speechSamples } from "../harness/http-speech.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { until } from "../harness/processes.js";

const model = "s2-pro";
const text = "Nobody knows where it is going. The quick brown fox jumps over the lazy dog.";

/** A made-up model of the real one's inputs and outputs, whose pitch follows the recording (workers/engines/pocket). */
describe("cloned voices, where a zero-shot model is served", () => {
  const models = temporaryDirectory("pocket");
  let cluster: TestCluster;
  beforeAll(async () => {
    writeTonePocket(join(models.path, "pocket-tts"));
    cluster = await startCluster({
      workers: 2,
      models: ["espeak", "parley-en", "pocket-tts"],
      settings: {
        PARLEY_MODELS: models.path,
        // The model stands last: only cloned voices are its own.
        PARLEY_MODEL_MAP: `${model}=parley-en+espeak+pocket-tts`,
      },
    });
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
    models.remove();
    await closeDecoderThreads();
  }, 60_000);

  const digest = (samples: Int16Array): string => createHash("sha256").update(samples).digest("hex");
  /** Of the first seconds: the measurement takes its time, in which a server ends connections. */
  const pitch = (samples: Int16Array): number => medianPitchHz(samples.subarray(0, 48_000), 24_000) ?? Number.NaN;
  const speak = (body: Record<string, unknown>): Promise<Int16Array> =>
    speechSamples(cluster, { text, ...body }, { model });
  const reference = (pitchHz: number): { audio: string; text: string }[] => [
    { audio: recording(pitchHz, 16_000).toString("base64"), text: "" },
  ];

  /** Saves a voice of one recording and gives its id. */
  async function save(pitchHz: number): Promise<string> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: "tts", train_mode: "fast", title: "A", visibility: "private" }))
      form.append(name, value);
    form.append("voices", new Blob([new Uint8Array(recording(pitchHz, 16_000))], { type: "audio/wav" }), "a.wav");
    const headers = { Authorization: `Bearer ${cluster.apiKey}` };
    const response = await fetch(`${cluster.baseUrl}/model`, { method: "POST", headers, body: form });
    const body = (await response.json()) as { _id: string };
    expect([response.status, body._id]).toEqual([201, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    return body._id;
  }

  it("speak in the recording that came with the request, the same way every time", async () => {
    const [low, high] = [await speak({ references: reference(90) }), await speak({ references: reference(240) })];
    expect(pitch(high) / pitch(low)).toBeGreaterThan(1.15);
    expect(digest(await speak({ references: reference(90) }))).toBe(digest(low));
    expect(digest(await speak({}))).not.toBe(digest(low));
  }, 60_000);

  it("speak in the recordings of a saved voice, which is stored with it", async () => {
    const [low, high] = [await save(90), await save(240)];
    const [lowSpeech, highSpeech] = [await speak({ reference_id: low }), await speak({ reference_id: high })];
    expect(pitch(highSpeech) / pitch(lowSpeech)).toBeGreaterThan(1.15);
    expect(digest(await speak({ reference_id: low }))).toBe(digest(lowSpeech));
    // The recording is the same as a request's, the seed is not: it is that of the voice.
    const inline = await speak({ references: reference(90) });
    expect(pitch(inline) / pitch(lowSpeech)).toBeCloseTo(1, 1);
  }, 60_000);

  it("speak what the model does not by the nearest speaker of one that does, in one stream", async () => {
    const mixed = `${text} Привет, как дела? ${text}`;
    const cloned = await speak({ text: mixed, references: reference(240) });
    const english = await speak({ text: `${text} ${text}`, references: reference(240) });
    expect(cloned.length - english.length).toBeGreaterThan(0.5 * 24_000);
  }, 60_000);

  it("has a recording fetched once by each worker, however many chunks speak in it", async () => {
    const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
    try {
      const asked: string[] = [];
      bus.subscribe<PromptRequest>(ownerPromptRequestSubject("*"), ({ promptId }) => asked.push(promptId));
      await bus.flush();
      for (let i = 0; i < 2; i++) await speak({ text: `${text} `.repeat(6), references: reference(170) });
      await bus.flush();
      expect(new Set(asked).size).toBe(1);
      expect(asked.length).toBeLessThanOrEqual(2);
    } finally {
      await bus.close();
    }
  }, 60_000);

  it("gives the same bytes when a worker is killed between two chunks", async () => {
    const long = `${text} `.repeat(8);
    const whole = await speak({ text: long, references: reference(150) });
    const response = await postSpeech(
      cluster,
      { text: long, references: reference(150), format: "pcm", sample_rate: 24_000 },
      { model },
    );
    const pieces: Uint8Array[] = [];
    let killed = false;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      pieces.push(piece);
      if (killed) continue;
      killed = cluster.kill("worker-1") && cluster.kill("worker-2");
    }
    const bytes = Buffer.concat(pieces);
    expect(killed).toBe(true);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest(whole));
    const lives = (): number[] =>
      cluster.processes().flatMap(({ name, lives }) => (name.startsWith("worker") ? [lives] : []));
    await until(() => lives().every((count) => count === 2), { withinMs: 30_000, what: "both workers to be back" });
  }, 120_000);

  it("is said in /health, model by model", async () => {
    const health = (await (await fetch(`${cluster.baseUrl}/health`)).json()) as {
      models: { name: string; clones_voices: boolean }[];
    };
    const cloning = health.models.filter((served) => served.clones_voices).map(({ name }) => name);
    expect(cloning).toEqual(["pocket-tts"]);
  });
});
