import { openGraph } from "./runtime.js";
import type { GraphCall, IdControls, ProsodyInput, VoiceGraph } from "./voice-graph.js";

/**
 * A voice whose pitch is moved, before it speaks a call, by what the graph at `path` predicts from words and sentences.
 * What callers ask of single ids is added to it. Always computed on the processor: it takes less time there than the
 * way to another device.
 */
export async function withProsody(voice: VoiceGraph, path: string): Promise<VoiceGraph> {
  const graph = await openGraph(path, []);
  const predict = async ({ symbols, columns }: ProsodyInput, speaker: number, range: number): Promise<Float32Array> => {
    const { pitch } = await graph.run({
      symbols: { type: "int64", data: BigInt64Array.from(symbols, BigInt), dims: [symbols.length] },
      columns: {
        type: "int64",
        data: BigInt64Array.from(columns, BigInt),
        dims: [symbols.length, columns.length / symbols.length],
      },
      speaker: { type: "int64", data: BigInt64Array.of(BigInt(speaker)), dims: [1] },
      range: { type: "float32", data: Float32Array.of(range), dims: [1] },
    });
    if (pitch?.type !== "float32") throw new RangeError("the prosody graph has no output pitch");
    return pitch.data;
  };
  const steer = async (call: GraphCall): Promise<GraphCall> => {
    const { prosody = null, rows, controls, speakerIds, scales } = call;
    if (prosody === null || prosody.every((row) => row === null)) return call;
    const steered: (IdControls | null)[] = [];
    for (const [r, row] of rows.entries()) {
      const own = controls?.[r] ?? null;
      const input = prosody[r] ?? null;
      steered.push(
        input === null
          ? own
          : moved(own, row.length, input.places, await predict(input, speakerIds[r] ?? 0, scales[2] ?? 0)),
      );
    }
    return { ...call, controls: steered };
  };
  const { speakWindows } = voice;
  return {
    ...voice,
    run: async (call) => await voice.run(await steer(call)),
    speakWindows:
      speakWindows === null
        ? null
        : async function* (call, windows) {
            yield* speakWindows(await steer(call), windows);
          },
  };
}

/** The controls of a row of so many ids, its pitch moved at `places`. */
function moved(own: IdControls | null, ids: number, places: readonly number[], semitones: Float32Array): IdControls {
  const pitchSemitones = own === null ? new Array<number>(ids).fill(0) : [...own.pitchSemitones];
  for (const [i, place] of places.entries()) pitchSemitones[place] = (pitchSemitones[place] ?? 0) + (semitones[i] ?? 0);
  return { pitchSemitones, durationFactors: own?.durationFactors ?? new Array<number>(ids).fill(1) };
}
