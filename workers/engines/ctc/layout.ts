import { type LogMel, type FeatureKind, MEL_BANDS } from "../../recognition/features/log-mel.js";
import type { Emissions } from "../../recognition/decoding/beam-search.js";
import { ModelProblem } from "../../repository/folder.js";
import { ctcLayouts } from "../../repository/manifest.js";
import type { Graph, GraphTensor } from "../onnx/runtime.js";

/**
 * How a recognizer's graph takes features, or for `waveform_ctc` samples, and gives log probabilities; inputs and
 * outputs are told by their position.
 */
export type CtcLayout = (typeof ctcLayouts)[number];

const layoutNames = ctcLayouts.join(", ");

/** A piece of audio, and its log-mel energies, which the graphs of most layouts take. */
export interface GraphAudio {
  samples: Int16Array;
  features: LogMel;
}

/**
 * What the graph was trained on: NeMo's exporter says in the metadata whether bands are to be normalized. Throws
 * `ModelProblem`.
 */
export function describeFeatures(layout: CtcLayout, metadata: ReadonlyMap<string, string>): FeatureKind {
  // Where the graph takes samples, the features only tell whether a piece may hold speech.
  if (layout !== "nemo_ctc") return "kaldi";
  const normalization = metadata.get("normalize_type") ?? "per_feature";
  if (normalization === "per_feature") return "nemo";
  if (normalization === "" || normalization === "NA") return "nemo_plain";
  throw new ModelProblem(`the graph's normalize_type ${normalization} is not known here (per_feature, NA)`);
}

/** Families by the `model_type` that their exporters write. */
const metadataTypes: readonly (readonly [RegExp, CtcLayout])[] = [
  [/^zipformer2?_ctc$/i, "zipformer_ctc"],
  [/^EncDec.*CTC/i, "nemo_ctc"],
  [/^waveform_ctc$/i, "waveform_ctc"],
];

/**
 * Tells the layout: what model.yaml says, else what the graph's metadata or the names of its inputs say. Throws
 * `ModelProblem`.
 */
export function describeLayout(
  stated: CtcLayout | undefined,
  metadata: ReadonlyMap<string, string>,
  graph: Pick<Graph, "inputNames">,
): CtcLayout {
  const names = graph.inputNames;
  const shown = names.join(", ");
  if (names.length !== 2)
    throw new ModelProblem(
      `a recognizer's graph has two inputs, features or samples and their lengths; this one has ${shown}`,
    );
  const type = metadata.get("model_type") ?? "";
  const known = metadataTypes.find(([pattern]) => pattern.test(type));
  if (known !== undefined && stated !== undefined && known[1] !== stated) {
    throw new ModelProblem(`model.yaml says the layout is ${stated}, the graph's model_type is ${type}`);
  }
  if (stated !== undefined) return stated;
  if (known !== undefined) return known[1];
  if (type !== "")
    throw new ModelProblem(`the graph's model_type ${type} is no layout that is known here (${layoutNames})`);
  if (names[0] === "audio_signal") return "nemo_ctc";
  if (names[0] === "x") return "zipformer_ctc";
  if (names[0] === "audio") return "waveform_ctc";
  throw new ModelProblem(
    `the layout cannot be told from the inputs ${shown}: model.yaml must name it (${layoutNames})`,
  );
}

/**
 * Runs a graph on a batch of pieces, padded here to the longest; one row of log probabilities for each. Rejects with
 * the runtime's reason.
 */
export async function runRecognizer(
  graph: Graph,
  layout: CtcLayout,
  pieces: readonly GraphAudio[],
): Promise<Emissions[]> {
  const { values, dims } = padded(layout, pieces);
  const lengths = BigInt64Array.from(pieces, (piece) => BigInt(lengthOf(layout, piece)));
  const [audioName = "", lengthsName = ""] = graph.inputNames;
  const results = await graph.run({
    [audioName]: { type: "float32", data: values, dims },
    [lengthsName]: { type: "int64", data: lengths, dims: [pieces.length] },
  });
  const [valuesName = "", countsName = ""] = graph.outputNames;
  const given = results[valuesName];
  const [rows = 0, frames = 0, symbols = 0] = given?.dims ?? [];
  if (given?.type !== "float32" || given.dims.length !== 3 || rows !== pieces.length) {
    throw new ModelProblem("the graph's first output is not log probabilities of batch, frames and symbols");
  }
  const valid = validFrames(results[countsName], layout, pieces, frames);
  return valid.map((count, row) => {
    const own = given.data.subarray(row * frames * symbols, (row * frames + count) * symbols);
    normalize(own, symbols);
    return { values: own, frames: count, symbols };
  });
}

/** In the unit of the graph's input: samples or frames. */
const lengthOf = (layout: CtcLayout, { samples, features }: GraphAudio): number =>
  layout === "waveform_ctc" ? samples.length : features.frames;

/** What the graph takes: samples of -1 to 1 `[N, S]`, or energies `[N, T, 80]` (NeMo: `[N, 80, T]`). */
function padded(layout: CtcLayout, pieces: readonly GraphAudio[]): { values: Float32Array; dims: number[] } {
  const longest = Math.max(...pieces.map((piece) => lengthOf(layout, piece)));
  const width = layout === "waveform_ctc" ? longest : longest * MEL_BANDS;
  const values = new Float32Array(pieces.length * width);
  for (const [row, { samples, features }] of pieces.entries()) {
    const into = values.subarray(row * width, (row + 1) * width);
    if (layout === "waveform_ctc") for (let i = 0; i < samples.length; i++) into[i] = (samples[i] as number) / 32768;
    else if (layout === "nemo_ctc") transposeInto(into, features, longest);
    else into.set(features.values);
  }
  if (layout === "waveform_ctc") return { values, dims: [pieces.length, longest] };
  const dims = layout === "nemo_ctc" ? [MEL_BANDS, longest] : [longest, MEL_BANDS];
  return { values, dims: [pieces.length, ...dims] };
}

function transposeInto(into: Float32Array, { frames, values }: LogMel, width: number): void {
  for (let t = 0; t < frames; t++)
    for (let m = 0; m < MEL_BANDS; m++) into[m * width + t] = values[t * MEL_BANDS + m] as number;
}

/**
 * How many of a row's output frames are its own. NeMo's second output is not to be relied on: exporters leave it out or
 * leave it raw.
 */
function validFrames(
  counts: GraphTensor | undefined,
  layout: CtcLayout,
  pieces: readonly GraphAudio[],
  frames: number,
): number[] {
  if (layout !== "nemo_ctc" && counts?.type === "int64" && counts.data.length === pieces.length) {
    return Array.from(counts.data, (count) => Math.min(frames, Math.max(0, Number(count))));
  }
  const lengths = pieces.map((piece) => lengthOf(layout, piece));
  const longest = Math.max(...lengths);
  return lengths.map((length) => Math.min(frames, Math.ceil((length * frames) / longest)));
}

/**
 * Makes rows log probabilities where the graph gives raw scores: each row is moved so that its probabilities sum up to
 * 1.
 */
function normalize(values: Float32Array, symbols: number): void {
  for (let row = 0; row < values.length; row += symbols) {
    let highest = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < symbols; k++) highest = Math.max(highest, values[row + k] as number);
    let sum = 0;
    for (let k = 0; k < symbols; k++) sum += Math.exp((values[row + k] as number) - highest);
    const logSum = highest + Math.log(sum);
    if (!Number.isFinite(logSum)) throw new ModelProblem("the graph gave no numbers");
    // Those of a graph that ends in a log-softmax stay as they are, to the bit.
    if (Math.abs(logSum) < 1e-3) continue;
    for (let k = 0; k < symbols; k++) values[row + k] = (values[row + k] as number) - logSum;
  }
}
