import { expect, it } from "vitest";
import { samplesOf } from "./samples.js";

it("shows examples with the address of the reader, and none where there are none", () => {
  const samples = [{ lang: "Shell", label: "curl", source: 'curl "http://localhost:8080/health"' }];
  expect(samplesOf({ "x-codeSamples": samples }, "https://speech.example")).toEqual([
    { label: "curl", source: 'curl "https://speech.example/health"' },
  ]);
  expect([samplesOf({}, "https://a"), samplesOf(undefined, "https://a")]).toEqual([[], []]);
});
