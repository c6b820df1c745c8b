import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openVoiceGraph } from "./voice-graph.js";
import { writeToneVoice } from "./testing/tone-voice.js";

const directory = mkdtempSync(join(tmpdir(), "parley-graph-"));
afterAll(() => rmSync(directory, { recursive: true }));

it("gives each row of a batch the sound that it has alone", async () => {
  const { graph: path } = writeToneVoice(directory, "tone");
  const graph = await openVoiceGraph(path, ["cpu"]);
  const rows = [
    [1, 0, 13, 0, 14, 0, 2],
    [1, 0, 20, 0, 3, 0, 21, 0, 22, 0, 30, 0, 2],
    [1, 0, 16, 0, 2],
  ];
  const speakerIds = [0, 2, 1];
  const call = { scales: [0, 1.3, 0], controls: null, padTo: 32, hopLength: 128 };
  const batch = await graph.run({ ...call, rows, speakerIds });
  for (const [i, row] of rows.entries()) {
    const [alone] = await graph.run({ ...call, padTo: 0, rows: [row], speakerIds: [speakerIds[i] ?? 0] });
    expect(batch[i]?.frames).toEqual(alone?.frames);
    expect(batch[i]?.audio.length).toBe(alone?.audio.length);
    const error = Math.max(...(alone?.audio ?? []).map((value, k) => Math.abs(value - (batch[i]?.audio[k] ?? 9))));
    expect(error).toBeLessThan(1e-4);
  }
});

it("says why a graph cannot be opened", async () => {
  const path = join(directory, "broken.onnx");
  writeFileSync(path, "this is no graph");
  await expect(openVoiceGraph(path, ["cpu"])).rejects.toThrow(/protobuf|parse|load/i);
});
