import { InferenceSession, Tensor } from "onnxruntime-node";
import { sumsExactly } from "./integer-products.js";
import { disableTelemetry } from "./no-telemetry.js";

/** The only file that knows onnxruntime: graphs are opened and run here, what they mean is known elsewhere. */

/** A tensor of a kind that our graphs take or give; `data` in row-major order, a byte for each truth value. */
export type GraphTensor =
  | { type: "float32"; data: Float32Array; dims: readonly number[] }
  | { type: "int64"; data: BigInt64Array; dims: readonly number[] }
  | { type: "bool"; data: Uint8Array; dims: readonly number[] };

/** What a graph says of one of its inputs; a dimension that it leaves open is null. */
export interface GraphInput {
  name: string;
  type: string;
  dims: readonly (number | null)[];
}

export interface Graph {
  provider: string;
  /** Providers that were preferred and did not work, with the reason. */
  refused: { provider: string; reason: string }[];
  inputNames: readonly string[];
  /** In the order of `inputNames`. */
  inputs: readonly GraphInput[];
  outputNames: readonly string[];
  /** Runs the graph once. Outputs of other element types are left out. */
  run(feeds: Record<string, GraphTensor>): Promise<Record<string, GraphTensor>>;
}

/**
 * Opens a graph with the first provider that works; the processor is always the last resort. Rejects when even that
 * cannot. `forProcessor` is the file of the same graph in a form that processors run faster, where there is one.
 */
export async function openGraph(path: string, providers: readonly string[], forProcessor = path): Promise<Graph> {
  disableTelemetry();
  const refused: Graph["refused"] = [];
  for (const provider of [...providers.filter((name) => name !== "cpu"), "cpu"]) {
    try {
      const session = await InferenceSession.create(provider === "cpu" ? forProcessor : path, {
        executionProviders: [provider],
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
        extra: { session: { intra_op: { allow_spinning: "0" }, x64quantprecision: sumsExactly() ? "0" : "1" } },
      });
      return {
        provider,
        refused,
        inputNames: session.inputNames,
        inputs: session.inputMetadata.map(inputOf),
        outputNames: session.outputNames,
        run: (feeds) => runSession(session, feeds),
      };
    } catch (error) {
      if (provider === "cpu") throw error;
      refused.push({ provider, reason: (error instanceof Error ? error.message : String(error)).slice(0, 300) });
    }
  }
  throw new RangeError("unreachable: the processor is always tried");
}

function inputOf(metadata: InferenceSession.ValueMetadata): GraphInput {
  if (!metadata.isTensor) return { name: metadata.name, type: "none", dims: [] };
  const dims = metadata.shape.map((size) => (typeof size === "number" && size >= 0 ? size : null));
  return { name: metadata.name, type: metadata.type, dims };
}

async function runSession(
  session: InferenceSession,
  feeds: Record<string, GraphTensor>,
): Promise<Record<string, GraphTensor>> {
  const given = Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]);
  const results = await session.run(Object.fromEntries(given));
  const tensors: Record<string, GraphTensor> = {};
  for (const [name, { type, data, dims }] of Object.entries(results)) {
    if (data instanceof Float32Array) tensors[name] = { type: "float32", data, dims };
    else if (data instanceof BigInt64Array) tensors[name] = { type: "int64", data, dims };
    else if (type === "bool" && data instanceof Uint8Array) tensors[name] = { type: "bool", data, dims };
  }
  return tensors;
}
