import { afterEach, expect, it, vi } from "vitest";
import { missingFor } from "./run-scenario.js";
import { recognizerParts, scenarios } from "./scenarios.js";

afterEach(() => vi.unstubAllEnvs());

const withRecordings = ["transcription", "transcription-peers", "beside-uploads"];

it.each(
  scenarios.filter(({ kind }) => withRecordings.includes(kind)),
)("$name says that ffmpeg is missing where it is", (scenario) => {
  vi.stubEnv("PATH", "/nowhere");
  expect(missingFor(scenario)).toMatch(/^ffmpeg is missing/);
});

it("asks for no ffmpeg where nothing is encoded", () => {
  vi.stubEnv("PATH", "/nowhere");
  expect(missingFor(recognizerParts)).toBeNull();
});
