import { ModelProblem } from "../../repository/folder.js";
import type { Graph, GraphTensor } from "../onnx/runtime.js";

/** A text in the making: each call takes the tokens that are new and gives the scores of what may follow the last. */
export interface Decoding {
  next(tokens: readonly number[]): Promise<Float32Array>;
}

/** What of a decoder the shapes of its tensors follow from. */
export interface DecoderShape {
  layers: number;
  heads: number;
  headSize: number;
  /** Null where no file says it: what the graph gives. */
  vocabularySize: number | null;
}

const parts = ["decoder.key", "decoder.value", "encoder.key", "encoder.value"] as const;
const cacheNames = (layers: number): string[] =>
  Array.from({ length: layers }, (_, layer) => parts.map((part) => `${layer}.${part}`)).flat();

/** What the inputs of a decoder's cache say of its shape, for models without a file that does. Throws `ModelProblem`. */
export function shapeOfCache({ inputs }: Pick<Graph, "inputs">): Omit<DecoderShape, "vocabularySize"> {
  const layers = inputs.filter(({ name }) => /^past_key_values\.\d+\.decoder\.key$/.test(name)).length;
  const [, heads, , headSize] = inputs.find(({ name }) => name === "past_key_values.0.decoder.key")?.dims ?? [];
  if (heads == null || headSize == null)
    throw new ModelProblem("the decoder's past_key_values.0.decoder.key says no number of heads and their size");
  return { layers, heads, headSize };
}

/**
 * Checks the names of a merged decoder's inputs and outputs, as Hugging Face's exporter gives them. Throws
 * `ModelProblem`.
 */
export function checkDecoder(
  graph: Pick<Graph, "inputNames" | "outputNames">,
  { layers }: Pick<DecoderShape, "layers">,
): void {
  const names = cacheNames(layers);
  const inputs = ["input_ids", "encoder_hidden_states", ...names.map((name) => `past_key_values.${name}`)];
  const missing = inputs.filter((name) => !graph.inputNames.includes(name));
  const unknown = graph.inputNames.filter((name) => !inputs.includes(name) && name !== "use_cache_branch");
  const lost = ["logits", ...names.map((name) => `present.${name}`)].filter(
    (name) => !graph.outputNames.includes(name),
  );
  if (missing.length > 0) throw new ModelProblem(`the decoder lacks the input ${missing.slice(0, 3).join(", ")}`);
  if (unknown.length > 0)
    throw new ModelProblem(`the decoder has an input that nothing feeds: ${unknown.slice(0, 3).join(", ")}`);
  if (lost.length > 0) throw new ModelProblem(`the decoder lacks the output ${lost.slice(0, 3).join(", ")}`);
}

/**
 * Begins a text for what the encoder gave (`[1, frames, size]`). `next` rejects with a `ModelProblem` when the graph
 * gives something else.
 */
export function beginDecoding(graph: Graph, hidden: GraphTensor, shape: DecoderShape): Decoding {
  const { layers, heads, headSize, vocabularySize } = shape;
  const empty: GraphTensor = { type: "float32", data: new Float32Array(0), dims: [1, heads, 0, headSize] };
  const cache = new Map<string, GraphTensor>(cacheNames(layers).map((name) => [name, empty]));
  let isFirst = true;
  return {
    async next(tokens) {
      const feeds: Record<string, GraphTensor> = {
        input_ids: { type: "int64", data: BigInt64Array.from(tokens, BigInt), dims: [1, tokens.length] },
        encoder_hidden_states: hidden,
      };
      if (graph.inputNames.includes("use_cache_branch"))
        feeds.use_cache_branch = { type: "bool", data: Uint8Array.of(isFirst ? 0 : 1), dims: [1] };
      for (const [name, tensor] of cache) feeds[`past_key_values.${name}`] = tensor;
      const results = await graph.run(feeds);
      for (const name of cache.keys()) {
        // What the text sees of the audio is made by the first call; later calls give an empty stand-in for it.
        if (!isFirst && name.includes("encoder")) continue;
        const present = results[`present.${name}`];
        if (present?.type !== "float32") throw new ModelProblem(`the decoder's output present.${name} is not float32`);
        cache.set(name, present);
      }
      isFirst = false;
      const logits = results.logits;
      const size = vocabularySize ?? logits?.dims[2] ?? 0;
      if (
        logits?.type !== "float32" ||
        logits.dims.length !== 3 ||
        logits.dims[1] !== tokens.length ||
        logits.dims[2] !== size
      ) {
        throw new ModelProblem(
          `the decoder's logits are [${logits?.dims.join(", ") ?? ""}], not [1, ${tokens.length}, ${size}] of float32`,
        );
      }
      return logits.data.slice((tokens.length - 1) * size);
    },
  };
}
