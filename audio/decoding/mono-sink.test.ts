import { expect, it } from "vitest";
import { createMonoFlow } from "./mono-sink.js";

const second = (): Float32Array[] => [new Float32Array(8000)];

it("gives a decoder up that gets nowhere, and none that is waited for", () => {
  let nowMs = 0;
  const options = { format: "mp3", maxSeconds: 3600, sampleRate: null, nowMs: () => nowMs };
  const flow = createMonoFlow(options, () => {
    // A slow reader.
    nowMs += 600_000;
    return true;
  });
  for (let i = 0; i < 100; i++) flow.add(second(), 8000);
  nowMs += 34_000;
  flow.add([], 8000);
  nowMs += 2000;
  expect(() => flow.add([], 8000)).toThrow("mp3 that takes too long to decode");
});

it("takes no more than eight channels", () => {
  const flow = createMonoFlow({ format: "vorbis", maxSeconds: 10, sampleRate: null }, () => true);
  expect(() =>
    flow.add(
      Array.from({ length: 9 }, () => new Float32Array(1)),
      8000,
    ),
  ).toThrow("vorbis with 9 channels");
});
