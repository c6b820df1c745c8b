import { openGraph } from "../onnx/runtime.js";
import { type DetectorGraph, PROBE_ROWS } from "./detector-graph.js";
import { FEATURE_BANDS } from "./features.js";

const INPUT = "features";
const OUTPUT = "speech";

/**
 * Opens a detector for onnxruntime: input `features` [1, rows, bands], output `speech` [1, 1, answers]. It runs on the
 * processor whatever else there is: a call is 0.1 ms of work for a second of audio, less than the way to a GPU. Rejects
 * when it cannot be run here or is no detector.
 */
export async function openOnnxDetector(path: string): Promise<DetectorGraph> {
  const graph = await openGraph(path, []);
  if (graph.inputNames.join() !== INPUT || graph.outputNames.join() !== OUTPUT)
    throw new RangeError(`a detector has one input, ${INPUT}, and one output, ${OUTPUT}`);
  const run = async (features: Float32Array): Promise<Float32Array> => {
    const dims = [1, features.length / FEATURE_BANDS, FEATURE_BANDS];
    const answers = (await graph.run({ [INPUT]: { type: "float32", data: features, dims } }))[OUTPUT];
    if (answers?.type !== "float32") throw new RangeError("a detector gives 32 bit floats");
    return answers.data;
  };
  const answers = await run(new Float32Array(PROBE_ROWS * FEATURE_BANDS));
  return { provider: graph.provider, refused: null, bands: FEATURE_BANDS, span: PROBE_ROWS - answers.length, run };
}
