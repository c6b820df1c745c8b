import { createDetectorFeatures } from "./features.js";
import { type DetectorGraph, openDetector } from "./runtime.js";

/**
 * What the thread is asked: open a detector and say what it is, or tell where in a recording someone speaks. Each
 * thread opens each model once.
 */
export type ThreadTask =
  | { kind: "open"; path: string }
  | { kind: "vad"; path: string; futureSteps: number; samples: Int16Array };

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
  const graph = await open(task.path);
  if (task.kind === "open")
    return { provider: graph.provider, refused: graph.refused, bands: graph.bands, span: graph.span };
  if (task.samples.length === 0) return new Uint8Array(0);
  const probabilities = await graph.run(features(task.samples, graph.span - task.futureSteps, task.futureSteps));
  return Uint8Array.from(probabilities, (probability) => Math.round(255 * probability));
}

function open(path: string): Promise<DetectorGraph> {
  const known = graphs.get(path) ?? openDetector(path);
  graphs.set(path, known);
  known.catch(() => graphs.delete(path));
  return known;
}
