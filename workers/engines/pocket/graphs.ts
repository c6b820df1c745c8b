import { basename } from "node:path";
import { ModelProblem } from "../../repository/folder.js";
import { type Graph, type GraphInput, type GraphTensor, openGraph } from "../onnx/runtime.js";

/** Where a model's five graphs lie, and what runs them. */
export interface PocketSource {
  paths: Record<PocketPart, string>;
  providers: readonly string[];
}

/**
 * Parts of the model: `encoder` takes a recording, `text_conditioner` tokens, `lm_main` says what follows,
 * `lm_flow` makes a latent of it, `decoder` makes audio of latents.
 */
const parts = ["encoder", "text_conditioner", "lm_main", "lm_flow", "decoder"] as const;
export type PocketPart = (typeof parts)[number];

/** Inputs and outputs of each part, as the exporter names them; those of states follow. */
const interfaces: Record<PocketPart, { inputs: Record<string, string>; outputs: string[]; hasState: boolean }> = {
  encoder: { inputs: { audio: "float32" }, outputs: ["latents"], hasState: false },
  text_conditioner: { inputs: { token_ids: "int64" }, outputs: ["embeddings"], hasState: false },
  lm_main: {
    inputs: { sequence: "float32", text_embeddings: "float32" },
    outputs: ["conditioning", "eos_logit"],
    hasState: true,
  },
  lm_flow: {
    inputs: { c: "float32", s: "float32", t: "float32", x: "float32" },
    outputs: ["flow_dir"],
    hasState: false,
  },
  decoder: { inputs: { latent: "float32" }, outputs: ["audio_frame"], hasState: true },
};

/** State that a graph takes and gives, by the names of its inputs. */
export type GraphState = Readonly<Record<string, GraphTensor>>;

/** The opened model. */
export interface PocketGraphs {
  provider: string;
  refused: Graph["refused"];
  /** Values of an embedding, of a recording's frame or a token's. */
  embeddingSize: number;
  /** Values of a latent. */
  latentSize: number;
  /** Frames and tokens that `lm_main` can attend to. */
  positions: number;
  /** Embeddings `[1, frames, embeddingSize]` of audio at the model's rate. */
  encode(audio: Float32Array): Promise<GraphTensor>;
  /** Embeddings of tokens. */
  condition(tokens: readonly number[]): Promise<GraphTensor>;
  /** One step; `state` is left as it is. */
  main(
    sequence: GraphTensor,
    embeddings: GraphTensor,
    state: GraphState,
  ): Promise<{ conditioning: GraphTensor; ending: number; state: GraphState }>;
  flow(feeds: Record<"c" | "s" | "t" | "x", GraphTensor>): Promise<Float32Array>;
  decode(latents: Float32Array, state: GraphState): Promise<{ audio: Float32Array; state: GraphState }>;
  /** Zeros, as `lm_main` and `decoder` begin. */
  emptyState(part: "lm_main" | "decoder"): GraphState;
}

/** Opens the graphs. Rejects with a `ModelProblem` that names the file whose inputs or outputs are others. */
export async function openPocketGraphs({ paths, providers }: PocketSource): Promise<PocketGraphs> {
  const opened = {} as Record<PocketPart, Graph>;
  for (const part of parts) {
    opened[part] = await openGraph(paths[part], providers).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ModelProblem(`${basename(paths[part])} cannot be loaded: ${reason}`, { cause });
    });
    checkInterface(part, opened[part], basename(paths[part]));
  }
  const { encoder, text_conditioner: conditioner, lm_main: main, lm_flow: flow, decoder } = opened;
  const embeddingSize = lastDimension(main, "text_embeddings", basename(paths.lm_main));
  const latentSize = lastDimension(main, "sequence", basename(paths.lm_main));
  return {
    provider: main.provider,
    refused: Object.values(opened).flatMap(({ refused }) => refused),
    embeddingSize,
    latentSize,
    positions: positionsOf(main),
    async encode(audio) {
      const results = await encoder.run({ audio: { type: "float32", data: audio, dims: [1, 1, audio.length] } });
      return embeddingsOf(results.latents, embeddingSize, basename(paths.encoder));
    },
    async condition(tokens) {
      const ids = BigInt64Array.from(tokens, BigInt);
      const results = await conditioner.run({ token_ids: { type: "int64", data: ids, dims: [1, ids.length] } });
      return embeddingsOf(results.embeddings, embeddingSize, basename(paths.text_conditioner));
    },
    async main(sequence, embeddings, state) {
      const results = await main.run({ sequence, text_embeddings: embeddings, ...state });
      return {
        conditioning: floats(results.conditioning, "conditioning", paths.lm_main),
        ending: floats(results.eos_logit, "eos_logit", paths.lm_main).data[0] ?? Number.NaN,
        state: nextState(state, results, paths.lm_main),
      };
    },
    flow: async (feeds) => floats((await flow.run(feeds)).flow_dir, "flow_dir", paths.lm_flow).data,
    async decode(latents, state) {
      const frames = latents.length / latentSize;
      const latent: GraphTensor = { type: "float32", data: latents, dims: [1, frames, latentSize] };
      const results = await decoder.run({ latent, ...state });
      return {
        audio: floats(results.audio_frame, "audio_frame", paths.decoder).data,
        state: nextState(state, results, paths.decoder),
      };
    },
    emptyState: (part) => emptyState(opened[part], basename(paths[part])),
  };
}

function checkInterface(part: PocketPart, graph: Graph, file: string): void {
  const { inputs, outputs, hasState } = interfaces[part];
  const isState = (name: string): boolean => hasState && /^state_\d+$/.test(name);
  for (const [name, type] of Object.entries(inputs)) {
    const input = graph.inputs.find((candidate) => candidate.name === name);
    if (input === undefined) throw new ModelProblem(`${file} lacks the input ${name}`);
    if (input.type !== type) throw new ModelProblem(`${file} takes ${name} as ${input.type}, not as ${type}`);
  }
  const unknown = graph.inputNames.filter((name) => !(name in inputs) && !isState(name));
  if (unknown.length > 0)
    throw new ModelProblem(`${file} has an input that nothing feeds: ${unknown.slice(0, 3).join(", ")}`);
  const states = graph.inputNames.filter(isState).map((name) => `out_${name}`);
  const lost = [...outputs, ...states].filter((name) => !graph.outputNames.includes(name));
  if (lost.length > 0) throw new ModelProblem(`${file} lacks the output ${lost.slice(0, 3).join(", ")}`);
}

function lastDimension(graph: Graph, name: string, file: string): number {
  const size = graph.inputs.find((input) => input.name === name)?.dims.at(-1) ?? null;
  if (size === null || size < 1) throw new ModelProblem(`${file} leaves the size of ${name} open`);
  return size;
}

/** Caches are `[2, batch, positions, heads, size]`. */
function positionsOf(graph: Graph): number {
  const caches = graph.inputs.filter(({ name, dims }) => name.startsWith("state_") && dims.length === 5);
  return Math.min(...caches.map(({ dims }) => dims[2] ?? Number.POSITIVE_INFINITY));
}

function emptyState(graph: Graph, file: string): GraphState {
  const states = graph.inputs.filter(({ name }) => name.startsWith("state_"));
  return Object.fromEntries(states.map((input) => [input.name, zeros(input, file)]));
}

/** An open dimension is that of the batch. */
function zeros({ name, type, dims: stated }: GraphInput, file: string): GraphTensor {
  const dims = stated.map((size) => size ?? 1);
  const count = dims.reduce((product, size) => product * size, 1);
  if (type === "float32") return { type, data: new Float32Array(count), dims };
  if (type === "int64") return { type, data: new BigInt64Array(count), dims };
  if (type === "bool") return { type, data: new Uint8Array(count), dims };
  throw new ModelProblem(`${file} takes ${name} as ${type}, which is not supported`);
}

function nextState(state: GraphState, results: Record<string, GraphTensor>, path: string): GraphState {
  const next = Object.keys(state).map((name) => {
    const tensor = results[`out_${name}`];
    if (tensor === undefined) throw new ModelProblem(`${basename(path)} gave no out_${name}`);
    return [name, tensor] as const;
  });
  return Object.fromEntries(next);
}

function floats(
  tensor: GraphTensor | undefined,
  name: string,
  path: string,
): Extract<GraphTensor, { type: "float32" }> {
  if (tensor?.type !== "float32") throw new ModelProblem(`${basename(path)} gives no ${name} of float32`);
  return tensor;
}

function embeddingsOf(tensor: GraphTensor | undefined, size: number, file: string): GraphTensor {
  if (tensor?.type !== "float32" || tensor.dims.length !== 3 || tensor.dims[2] !== size || tensor.data.length === 0)
    throw new ModelProblem(`${file} gives [${tensor?.dims.join(", ") ?? ""}], not frames of ${size} float32`);
  return tensor;
}
