import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SpeakerList } from "#protocol/speech/speakers";
import { medianPitchHz } from "#workers/engines/testing/pitch";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { postSpeech, speechSamples } from "../harness/http-speech.js";

const text = "Nobody knows where it is going. The quick brown fox jumps over the lazy dog.";

describe("speakers of the models that come with Parley", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster({ workers: 1, models: ["espeak", "parley-en"] });
  }, 120_000);
  afterAll(async () => await cluster?.stop(), 60_000);

  const digest = (samples: Int16Array): string => createHash("sha256").update(samples).digest("hex");
  const pitch = (samples: Int16Array): number => medianPitchHz(samples.subarray(0, 48_000), 24_000) ?? Number.NaN;
  const speak = (body: Record<string, unknown>): Promise<Int16Array> => speechSamples(cluster, { text, ...body });

  it("are listed, and speak where a request names them", async () => {
    const response = await fetch(`${cluster.baseUrl}/v1/tts/speakers`, {
      headers: { Authorization: `Bearer ${cluster.apiKey}` },
    });
    const { items } = (await response.json()) as SpeakerList;
    const ids = items.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["lj", "kathleen", "slt", "rms", "m3"]));
    const [lj, rms] = [await speak({ reference_id: "lj" }), await speak({ reference_id: "rms" })];
    expect(pitch(lj) / pitch(rms)).toBeGreaterThan(1.5);
    expect(digest(await speak({ reference_id: "parley-en:rms" }))).toBe(digest(rms));
    const others = ["lj", "kathleen", "slt", "m3", "f2"];
    const digests = await Promise.all(others.map(async (id) => digest(await speak({ reference_id: id }))));
    expect(new Set([...digests, digest(rms)]).size).toBe(6);
  }, 60_000);

  it("speak to the clients of other vendors", async () => {
    const ask = async (path: string, body: Record<string, unknown>): Promise<number> => {
      const response = await fetch(`${cluster.baseUrl}${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      return pitch(new Int16Array(await response.arrayBuffer()));
    };
    const openAi = (voice: string): Promise<number> =>
      ask("/compat/v1/audio/speech", { model: "s2-pro", input: text, voice, response_format: "pcm" });
    const elevenLabs = (voice: string): Promise<number> =>
      ask(`/compat/elevenlabs/v1/text-to-speech/${voice}?output_format=pcm_24000`, { text });
    for (const layer of [openAi, elevenLabs]) expect((await layer("lj")) / (await layer("rms"))).toBeGreaterThan(1.5);
  }, 60_000);

  it("leave other languages to the models that speak them, and are unknown where no model has them", async () => {
    const russian = "Никто не знает, куда он едет.";
    expect(digest(await speak({ text: russian, reference_id: "rms" }))).toBe(digest(await speak({ text: russian })));
    for (const reference_id of ["nobody", "espeak:rms", "parley-en:"]) {
      const response = await postSpeech(cluster, { text, reference_id });
      expect([response.status, await response.json()]).toEqual([
        400,
        { message: "Reference voice not found", status: 400 },
      ]);
    }
  }, 60_000);
});
