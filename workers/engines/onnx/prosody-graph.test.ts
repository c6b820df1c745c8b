import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { withProsody } from "./prosody-graph.js";
import type { GraphCall, ProsodyInput, VoiceGraph } from "./voice-graph.js";

// From dist/workers/engines/onnx.
const path = fileURLToPath(new URL("../../../../models/parley-en/prosody.onnx", import.meta.url));
const COLUMNS = 17;
const symbols = [20, 44, 3, 31, 45, 4];
const input: ProsodyInput = {
  symbols,
  columns: symbols.flatMap((_, i) => [i === 1 || i === 4 ? 1 : 0, ...new Array<number>(COLUMNS - 1).fill(0)]),
  places: [2, 4, 6, 8, 10, 12],
};
const row = [1, 0, 20, 0, 44, 0, 3, 0, 31, 0, 45, 0, 4, 0, 2];

/** The calls that reach the voice. */
async function steered(...asked: GraphCall[]): Promise<GraphCall[]> {
  const calls: GraphCall[] = [];
  const voice: VoiceGraph = {
    provider: "cpu",
    refused: [],
    inputNames: [],
    inputs: [],
    outputNames: [],
    run: (call) => {
      calls.push(call);
      return Promise.resolve([]);
    },
    speakWindows: null,
  };
  const graph = await withProsody(voice, path);
  for (const call of asked) await graph.run(call);
  return calls;
}

const call: GraphCall = {
  rows: [row],
  scales: [0.667, 1, 0, 0],
  controls: [null],
  prosody: [input],
  speakerIds: [0],
  padTo: 0,
  hopLength: 176,
};
const pitchOf = ({ controls }: Partial<GraphCall>): number[] => controls?.[0]?.pitchSemitones ?? [];
const factorsOf = ({ controls }: Partial<GraphCall>): number[] => controls?.[0]?.durationFactors ?? [];

it("moves the pitch of the symbols only, adds what the caller asks, and keeps the caller's durations", async () => {
  const own = { pitchSemitones: row.map((_, i) => i), durationFactors: row.map(() => 1.5) };
  const [plain = {}, both = {}] = await steered(call, { ...call, controls: [own] });
  const predicted = pitchOf(plain);
  expect(predicted.map((value) => value !== 0)).toEqual(row.map((_, i) => input.places.includes(i)));
  expect(pitchOf(both)).toEqual(predicted.map((value, i) => value + i));
  expect(factorsOf(both)).toEqual(own.durationFactors);
  expect(factorsOf(plain)).toEqual(row.map(() => 1));
});

it("moves more where the call has a wider pitch range", async () => {
  const [narrow = {}, wide = {}] = await steered(call, { ...call, scales: [0.667, 1, 1.2, 0] });
  for (const place of input.places)
    expect((pitchOf(wide)[place] ?? 0) / (pitchOf(narrow)[place] ?? 1)).toBeCloseTo(2, 4);
});

it("leaves rows alone that have nothing to predict from, and speakers that it does not know", async () => {
  const [none, unknown = {}] = await steered({ ...call, prosody: [null] }, { ...call, speakerIds: [3] });
  expect(none).toEqual({ ...call, prosody: [null] });
  expect(pitchOf(unknown).every((value) => value === 0)).toBe(true);
});
