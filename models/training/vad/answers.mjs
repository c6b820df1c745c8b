// Answers of the shipped graph in TensorFlow.js: `answers.mjs MODEL_JSON PAST FUTURE`, int16 samples from stdin,
// float32 probabilities to stdout.
import { readFileSync, writeSync } from "node:fs";
import { createDetectorFeatures } from "../../../dist/workers/engines/tfjs/features.js";
import { openDetector } from "../../../dist/workers/engines/tfjs/runtime.js";

const [path, past, future] = process.argv.slice(2);
const bytes = readFileSync(0);
const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const detector = await openDetector(path);
const features = createDetectorFeatures()(samples, Number(past), Number(future));
const answers = Buffer.from((await detector.run(features)).buffer);
for (let at = 0; at < answers.length; ) at += writeSync(1, answers, at);
