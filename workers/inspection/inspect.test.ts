import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { modelReport, type ModelReport } from "#protocol/models/inspection";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { letterSymbols, writeToneRecognizer } from "../engines/ctc/testing/tone-recognizer.js";
import { writeToneVoice } from "../engines/onnx/testing/tone-voice.js";
import { inspectModels } from "./inspect.js";

const directory = mkdtempSync(join(tmpdir(), "parley-inspection-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function reports(roots: string[], load: boolean): Promise<ModelReport[]> {
  const found: ModelReport[] = [];
  const request = { roots, embedded: false, only: [], load, providers: ["cpu"] };
  for await (const report of inspectModels(request, { log: createLogger("test", "silent"), clock: systemClock }))
    found.push(modelReport.parse(report));
  return found;
}

describe("an inspection of models", () => {
  it("tries each model with what it is for", { timeout: 60_000 }, async () => {
    writeToneVoice(join(directory, "voice"), "tone");
    writeToneRecognizer(join(directory, "asr"), { symbols: letterSymbols });
    const [recognizer, voice] = (await reports([directory], true)).sort((a, b) => a.name.localeCompare(b.name));
    expect(voice).toMatchObject({ name: "voice", task: "speak", engine: "onnx", problem: null, embedded: false });
    expect(voice?.bytes).toBeGreaterThan(1000);
    expect(voice?.trial).toMatchObject({
      provider: "cpu",
      sampleRate: 22_050,
      speakers: ["tone0", "tone1", "tone2"],
      languages: ["en"],
    });
    expect(voice?.trial?.audioSeconds).toBeGreaterThan(1);
    expect(voice?.trial?.realTimeFactor).toBeGreaterThan(0);
    expect(recognizer).toMatchObject({ name: "asr", task: "transcribe", engine: "ctc", problem: null });
    expect(recognizer?.trial?.outcome).toMatch(/^heard /);
  });

  it("tells what a folder is without loading it, and what is wrong with it", async () => {
    const folder = join(directory, "two");
    writeToneVoice(folder, "one");
    expect(await reports([folder], false)).toMatchObject([{ name: "two", problem: null, trial: null }]);
    writeToneVoice(folder, "other");
    expect(await reports([folder], true)).toMatchObject([
      { name: "two", task: null, problem: expect.stringContaining("2 Piper voices") as string, trial: null },
    ]);
  });
});
