/** What runs a detector's graph: onnxruntime, or TensorFlow.js. */
export type DetectorRuntime = "onnx" | "tfjs";

/** A loaded graph that takes rows of features and gives one probability per row. */
export interface DetectorGraph {
  /** What runs it, in the runtime's own words. */
  provider: string;
  /** Why another one, which was preferred, does not run it; null where none was. */
  refused: string | null;
  /** Values of one input row. */
  bands: number;
  /** Rows that one answer depends on, beside its own. */
  span: number;
  /** `rows - span` probabilities. */
  run(features: Float32Array): Promise<Float32Array>;
}

/** Rows of the call that finds out a graph's span: more than one answer may depend on. */
export const PROBE_ROWS = 512;
