// How fast one thread detects: `speed.mjs GRAPH`, for onnxruntime or, of a model.json, for TensorFlow.js. Counts processor time, so that a busy machine does not matter
// much; features included.
import handle from "../../../dist/workers/engines/vad/thread.js";

const path = process.argv[2];
const runtime = path.endsWith(".onnx") ? "onnx" : "tfjs";
const seconds = 30;
const audio = () => Int16Array.from({ length: seconds * 16_000 }, (_, i) => 3000 * Math.sin(i / 20) + 500 * Math.sin(i * i));
const { provider } = await handle({ kind: "open", path, runtime });
const times = [];
for (let round = 0; round < 40; round++) {
  const samples = audio();
  const before = process.cpuUsage();
  await handle({ kind: "vad", path, runtime, futureSteps: 25, samples });
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1e6);
}
times.sort((a, b) => a - b);
const median = times[times.length / 2];
process.stdout.write(`${provider}: ${(median * 1000).toFixed(1)} ms for ${seconds} s of audio, ${Math.round(seconds / median)} times real time (median of 40)\n`);
