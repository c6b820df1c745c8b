// Answers of a shipped graph, by onnxruntime or, of a model.json, by TensorFlow.js: `answers.mjs GRAPH PAST FUTURE`, int16
// samples from stdin, float32 probabilities to stdout.
import { readFileSync, writeSync } from "node:fs";
import { createDetectorFeatures } from "../../../dist/workers/engines/vad/features.js";
import { openTfjsDetector } from "../../../dist/workers/engines/tfjs/runtime.js";
import { openOnnxDetector } from "../../../dist/workers/engines/vad/onnx-detector.js";

const [path, past, future] = process.argv.slice(2);
const bytes = readFileSync(0);
const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const detector = await (path.endsWith(".onnx") ? openOnnxDetector : openTfjsDetector)(path);
const features = createDetectorFeatures()(samples, Number(past), Number(future));
const answers = Buffer.from((await detector.run(features)).buffer);
for (let at = 0; at < answers.length; ) at += writeSync(1, answers, at);
