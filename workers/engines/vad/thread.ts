import type { DetectorGraph, DetectorRuntime } from "./detector-graph.js";
import { createDetectorFeatures } from "./features.js";

/**
 * What the thread is asked: open a detector and say what it is, or tell where in a recording someone speaks. Each
 * thread opens each model once.
 */
export type ThreadTask = { path: string; runtime: DetectorRuntime } & (
  | { kind: "open" }
  | { kind: "vad"; futureSteps: number; samples: Int16Array }
);

export interface OpenedDetector {
  provider: string;
  refused: string | null;
  bands: number;
  /** Steps that one answer depends on, beside its own. */
  span: number;
}

const graphs = new Map<string, Promise<DetectorGraph>>();
const features = createDetectorFeatures();

export default async function handle(task: ThreadTask): Promise<OpenedDetector | Uint8Array> {
  const graph = await open(task);
  if (task.kind === "open")
    return { provider: graph.provider, refused: graph.refused, bands: graph.bands, span: graph.span };
  if (task.samples.length === 0) return new Uint8Array(0);
  const probabilities = await graph.run(features(task.samples, graph.span - task.futureSteps, task.futureSteps));
  return Uint8Array.from(probabilities, (probability) => Math.round(255 * probability));
}

function open({ path, runtime }: ThreadTask): Promise<DetectorGraph> {
  const known = graphs.get(path) ?? openWith(runtime, path);
  graphs.set(path, known);
  known.catch(() => graphs.delete(path));
  return known;
}

/** Only what is needed is loaded: TensorFlow.js takes 20 MB and 0.1 s of processor time on each thread. */
async function openWith(runtime: DetectorRuntime, path: string): Promise<DetectorGraph> {
  if (runtime === "onnx") return await (await import("./onnx-detector.js")).openOnnxDetector(path);
  return await (await import("../tfjs/runtime.js")).openTfjsDetector(path);
}
