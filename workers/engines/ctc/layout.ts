import { type LogMel, type FeatureKind, MEL_BANDS } from "../../recognition/features/log-mel.js";
import type { Emissions } from "../../recognition/decoding/beam-search.js";
import { ModelProblem } from "../../repository/folder.js";
import type { Graph, GraphTensor } from "../onnx/runtime.js";

/**
 * How a recognizer's graph takes features and gives log probabilities; inputs and outputs are told by their position.
 */
export type CtcLayout = "zipformer_ctc" | "nemo_ctc";

/**
 * What the graph was trained on: NeMo's exporter says in the metadata whether bands are to be normalized. Throws
 * `ModelProblem`.
 */
export function describeFeatures(layout: CtcLayout, metadata: ReadonlyMap<string, string>): FeatureKind {
  if (layout === "zipformer_ctc") return "kaldi";
  const normalization = metadata.get("normalize_type") ?? "per_feature";
  if (normalization === "per_feature") return "nemo";
  if (normalization === "" || normalization === "NA") return "nemo_plain";
  throw new ModelProblem(`the graph's normalize_type ${normalization} is not known here (per_feature, NA)`);
}

/** Families by the `model_type` that their exporters write. */
const metadataTypes: readonly (readonly [RegExp, CtcLayout])[] = [
  [/^zipformer2?_ctc$/i, "zipformer_ctc"],
  [/^EncDec.*CTC/i, "nemo_ctc"],
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
    throw new ModelProblem(`a recognizer's graph has two inputs, features and their lengths; this one has ${shown}`);
  const type = metadata.get("model_type") ?? "";
  const known = metadataTypes.find(([pattern]) => pattern.test(type));
  if (known !== undefined && stated !== undefined && known[1] !== stated) {
    throw new ModelProblem(`model.yaml says the layout is ${stated}, the graph's model_type is ${type}`);
  }
  if (stated !== undefined) return stated;
  if (known !== undefined) return known[1];
  if (type !== "")
    throw new ModelProblem(`the graph's model_type ${type} is no layout that is known here (zipformer_ctc, nemo_ctc)`);
  if (names[0] === "audio_signal") return "nemo_ctc";
  if (names[0] === "x") return "zipformer_ctc";
  throw new ModelProblem(
    `the layout cannot be told from the inputs ${shown}: model.yaml must name it (zipformer_ctc, nemo_ctc)`,
  );
}

/**
 * Runs a graph on a batch of features, padded here to the longest; one row of log probabilities for each. Rejects with
 * the runtime's reason.
 */
export async function runRecognizer(graph: Graph, layout: CtcLayout, pieces: readonly LogMel[]): Promise<Emissions[]> {
  const longest = Math.max(...pieces.map(({ frames }) => frames));
  const values = new Float32Array(pieces.length * longest * MEL_BANDS);
  for (const [row, piece] of pieces.entries()) {
    const into = values.subarray(row * longest * MEL_BANDS, (row + 1) * longest * MEL_BANDS);
    if (layout === "nemo_ctc") transposeInto(into, piece, longest);
    else into.set(piece.values);
  }
  const dims = layout === "nemo_ctc" ? [pieces.length, MEL_BANDS, longest] : [pieces.length, longest, MEL_BANDS];
  const lengths = BigInt64Array.from(pieces, ({ frames }) => BigInt(frames));
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
  pieces: readonly LogMel[],
  frames: number,
): number[] {
  if (layout === "zipformer_ctc" && counts?.type === "int64" && counts.data.length === pieces.length) {
    return Array.from(counts.data, (count) => Math.min(frames, Math.max(0, Number(count))));
  }
  const longest = Math.max(...pieces.map((piece) => piece.frames));
  return pieces.map((piece) => Math.min(frames, Math.ceil((piece.frames * frames) / longest)));
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
