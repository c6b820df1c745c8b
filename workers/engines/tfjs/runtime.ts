import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Wasm from "@tensorflow/tfjs-backend-wasm";
import type * as Converter from "@tensorflow/tfjs-converter";
import type * as Core from "@tensorflow/tfjs-core";
import { type DetectorGraph, PROBE_ROWS } from "../vad/detector-graph.js";

/**
 * The only file that knows TensorFlow.js: a graph model that takes rows of features and gives one probability per row.
 */

// `import` would read the megabytes of these CommonJS files for the names that they export: 0.3 s of processor time on
// each thread.
const require = createRequire(import.meta.url);
const { env, io, setBackend, tensor } = require("@tensorflow/tfjs-core") as typeof Core;
const { loadGraphModel } = require("@tensorflow/tfjs-converter") as typeof Converter;
const { setWasmPaths } = require("@tensorflow/tfjs-backend-wasm") as typeof Wasm;

/**
 * An optional extra: where somebody has installed it, TensorFlow itself runs the models, on the GPU if there is one.
 */
const NATIVE_PACKAGE = "@tensorflow/tfjs-node-gpu";

/**
 * TensorFlow.js's name of what runs a graph, `wasm`, or `tensorflow` with the native package; and why that package, which
 * is installed, does not run it.
 */
type Backend = Pick<DetectorGraph, "provider" | "refused">;

let backend: Promise<Backend> | null = null;

/**
 * Opens a graph model from `model.json` and the weight files beside it. Rejects when it cannot be run here or is no
 * detector.
 */
export async function openTfjsDetector(path: string): Promise<DetectorGraph> {
  backend ??= chooseBackend();
  const chosen = await backend;
  const model = await loadGraphModel({ load: async () => await readModel(path) });
  const bands = model.inputs[0]?.shape?.at(-1) ?? -1;
  if (model.inputs.length !== 1 || model.outputs.length !== 1 || bands < 1) {
    throw new RangeError("a detector has one input [1, 1, rows, bands] and one output [1, 1, answers, 1]");
  }
  const answers = (await runGraph(model, new Float32Array(PROBE_ROWS * bands), bands)).length;
  return { ...chosen, bands, span: PROBE_ROWS - answers, run: (features) => runGraph(model, features, bands) };
}

async function chooseBackend(): Promise<Backend> {
  env().set("PROD", true);
  // One thread does one call: the worker brings as many threads as it wants itself.
  env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  const refused = await tryNative();
  if (refused === "") return { provider: "tensorflow", refused: null };
  setWasmPaths(`${dirname(require.resolve("@tensorflow/tfjs-backend-wasm"))}/`);
  if (!(await setBackend("wasm"))) throw new RangeError("TensorFlow.js has no backend that works here");
  return { provider: "wasm", refused };
}

/**
 * Empty when TensorFlow itself runs the models from here on, null where it is not installed, else what is wrong with
 * it.
 */
async function tryNative(): Promise<string | null> {
  try {
    await import(NATIVE_PACKAGE);
    return (await setBackend("tensorflow")) ? "" : "its backend does not start";
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ERR_MODULE_NOT_FOUND" && message.includes(NATIVE_PACKAGE) ? null : String(message).slice(0, 300);
  }
}

async function readModel(path: string): Promise<Core.io.ModelArtifacts> {
  const described = JSON.parse(await readFile(path, "utf8")) as Core.io.ModelJSON;
  return await io.getModelArtifactsForJSON(described, async (manifest) => {
    const parts = await Promise.all(
      manifest.flatMap(({ paths }) => paths).map(async (name) => await readFile(join(dirname(path), name))),
    );
    const bytes = Buffer.concat(parts);
    return [
      manifest.flatMap(({ weights }) => weights),
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    ];
  });
}

async function runGraph(model: Converter.GraphModel, features: Float32Array, bands: number): Promise<Float32Array> {
  const input = tensor(features, [1, 1, features.length / bands, bands]);
  let output: Core.Tensor | null = null;
  try {
    output = model.execute(input) as Core.Tensor;
    return (await output.data()) as Float32Array;
  } finally {
    output?.dispose();
    input.dispose();
  }
}
