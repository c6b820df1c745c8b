import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { measureVoice } from "#audio/voice/traits";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { recognize, wordErrors } from "../harness/recognizer.js";
import { speech, speechSamples } from "../harness/http-speech.js";
import { isThorough } from "../harness/thorough.js";

const text =
  "The old house, which stood on the hill, was sold last year. We need to buy some bread and milk from the store. " +
  "The president said that the war would soon be over. My father used to read the newspaper every evening. " +
  "If you have any questions, please call us at any time, or send a letter. The train to the city leaves at half past nine.";

const model = "s2.1-pro";

/** As for the voice as it is (intelligibility.test.ts); measured: none of 67 words at 0.1 and 0.9. */
const HIGHEST_WORD_ERROR_RATE = 0.08;

describe("sampling, from the request to the audio", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });
  afterAll(async () => {
    await closeDecoderThreads();
  });

  const native = (body: Record<string, unknown>): Promise<Int16Array> =>
    speechSamples(cluster, { text, latency: "low", ...body }, { model });
  const elevenLabs = async (stability: number): Promise<Int16Array> => {
    const path = "/compat/elevenlabs/v1/text-to-speech/default?output_format=pcm_24000";
    const bytes = await speech(cluster, { text, model_id: model, voice_settings: { stability } }, { path });
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
  };
  const digest = (samples: Int16Array | Uint8Array): string => createHash("sha256").update(samples).digest("hex");
  const rangeOf = (samples: Int16Array): number => measureVoice({ samples, sampleRate: 24_000 }).pitchRangeSemitones;

  it("reads steadily at temperature 0.1 and lively at 0.9, each the same way every time", async () => {
    const [steady, own, lively] = [
      await native({ temperature: 0.1 }),
      await native({}),
      await native({ temperature: 0.9 }),
    ];
    expect(digest(await native({ temperature: 0.1 }))).toBe(digest(steady));
    expect(digest(await native({ temperature: 0.9 }))).toBe(digest(lively));
    expect(digest(await native({ temperature: 0.7, top_p: 0.7, repetition_penalty: 1.2 }))).toBe(digest(own));
    expect(digest(await native({ temperature: 0.9, top_p: 1 }))).not.toBe(digest(lively));
    expect(digest(await native({ temperature: 0.9, repetition_penalty: 3 }))).not.toBe(digest(lively));
    const [steadyRange = 9, ownRange = 9, livelyRange = 0] = [steady, own, lively].map(rangeOf);
    console.log(
      "standard deviation of pitch at temperature 0.1, default, 0.9, semitones:",
      steadyRange,
      ownRange,
      livelyRange,
    );
    expect(ownRange / steadyRange).toBeGreaterThan(1.15);
    expect(livelyRange / steadyRange).toBeGreaterThan(1.3);
  }, 120_000);

  it("is ElevenLabs' stability, the other way round", async () => {
    const [steady, lively] = [await elevenLabs(0.9), await elevenLabs(0.1)];
    expect(digest(steady)).toBe(digest(await native({ temperature: 0.1 })));
    expect(digest(lively)).toBe(digest(await native({ temperature: 0.9 })));
    expect(rangeOf(lively) / rangeOf(steady)).toBeGreaterThan(1.3);
  }, 120_000);

  it.each(
    isThorough ? [0.1, 0.9] : [0.9],
  )("is understood at temperature %d, which is not what is spoken by default", async (temperature) => {
    const body = { text, format: "wav" };
    const [own, spoken] = [
      await speech(cluster, body, { model }),
      await speech(cluster, { ...body, temperature }, { model }),
    ];
    expect(digest(spoken)).not.toBe(digest(own));
    const { errors, words } = wordErrors(text, await recognize(spoken));
    console.log(`word errors of pocketsphinx at temperature ${temperature}: ${errors} of ${words}`);
    expect(errors / words).toBeLessThanOrEqual(HIGHEST_WORD_ERROR_RATE);
  }, 120_000);
});
