import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "#test/harness/temporary-directory";
import { voiceFolder } from "../voice-engine.js";
import { findGpu } from "./nvidia.js";
import { chooseProvider } from "./provider.js";
import { measureRecognizer } from "./recognizer.js";
import { gpuPage } from "./report.js";
import { measureVoice } from "./voice.js";

const SIZES = { sizes: [1, 2], forMs: 1 };

describe("the benchmark of GPUs", () => {
  const directory = temporaryDirectory("gpu");
  const program = (name: string, script: string): string => {
    const file = join(directory.path, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  afterAll(() => directory.remove());

  it("says of a machine without a GPU why nothing was found there", () => {
    expect(findGpu(join(directory.path, "nowhere"))).toEqual({ missing: expect.stringContaining("it is not there") });
    const failing = program("failing", "echo 'NVIDIA-SMI has failed: no driver' >&2; exit 9");
    expect(findGpu(failing)).toEqual({ missing: expect.stringContaining("no driver") });
    expect(findGpu(program("empty", "true"))).toEqual({ missing: expect.stringContaining("lists no GPU") });
  });

  it("reads what the driver says of the first one", () => {
    const listing = program(
      "listing",
      "echo 'NVIDIA L4, 23034 MiB, 550.54.15'; echo 'NVIDIA T4, 15360 MiB, 550.54.15'",
    );
    expect(findGpu(listing)).toEqual({ name: "NVIDIA L4", memory: "23034 MiB", driver: "550.54.15" });
  });

  it("takes the first provider that opens the graph, and says why others did not", () => {
    const chosen = chooseProvider(join(voiceFolder, "model.onnx"), ["nonsense", "cpu"]);
    expect(chosen.provider).toBe("cpu");
    expect(chosen.refused).toEqual([{ provider: "nonsense", reason: expect.stringMatching(/nonsense/) }]);
    expect(chooseProvider(join(directory.path, "nothing.onnx"), ["cpu"])).toEqual({
      provider: null,
      refused: [{ provider: "cpu", reason: expect.stringContaining("the process ended with 1") }],
    });
  });

  describe("on the processor", () => {
    let voice: Awaited<ReturnType<typeof measureVoice>>;
    let recognizer: Awaited<ReturnType<typeof measureRecognizer>>;
    beforeAll(async () => {
      voice = await measureVoice("cpu", SIZES);
      recognizer = await measureRecognizer("cpu", SIZES);
    }, 60_000);

    it("measures first audio, streams and batches", () => {
      expect(voice.firstAudioP50Ms).toBeGreaterThan(0);
      expect(voice.firstAudioP95Ms).toBeGreaterThanOrEqual(voice.firstAudioP50Ms);
      for (const curve of [voice.curve, recognizer.curve]) {
        expect(curve.map(({ batch }) => batch)).toEqual([1, 2]);
        for (const { audioPerSecond, callP50Ms } of curve) {
          expect(audioPerSecond).toBeGreaterThan(0.1);
          expect(callP50Ms).toBeGreaterThan(0);
        }
      }
    });

    it("says on its page that no GPU was measured, and why", () => {
      const gpu = { missing: "no NVIDIA GPU was found" };
      const page = gpuPage({ gpu, chosen: { provider: null, refused: [] }, voice: [voice], recognizer: [recognizer] });
      expect(page).toContain("not measured: no NVIDIA GPU was found");
      expect(page).toMatch(/^cpu +2 /m);
    });
  });
});
