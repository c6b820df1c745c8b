import { join } from "node:path";
import { parseArgs } from "node:util";
import { appendFileSync, mkdirSync } from "node:fs";
import { describeMachine } from "../machine.js";
import { resultsDirectory } from "../results.js";
import { voiceFolder } from "../voice-engine.js";
import { findGpu } from "./nvidia.js";
import { chooseProvider } from "./provider.js";
import { measureRecognizer } from "./recognizer.js";
import { type GpuFigures, gpuPage } from "./report.js";
import { measureVoice } from "./voice.js";

/*
 * `npm run bench:gpu [-- --seconds 5]`: voice and recognizer on an NVIDIA GPU and on the processor, without a cluster
 * and without a network, five minutes. Where there is no GPU, it says why and measures the processor alone.
 */

/** CUDA where onnxruntime-node has its provider, WebGPU otherwise. */
const preferred = ["cuda", "webgpu"] as const;
const gpuSizes = [1, 2, 4, 8, 16, 32];
const processorSizes = [1, 4];

const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const forMs = Number(values.seconds) * 1000;
if (!(forMs > 0)) throw new RangeError("--seconds must be a number above 0");

const gpu = findGpu();
const chosen =
  "missing" in gpu ? { provider: null, refused: [] } : chooseProvider(join(voiceFolder, "model.onnx"), preferred);
const runs = [
  ...(chosen.provider === null ? [] : [{ provider: chosen.provider, sizes: gpuSizes }]),
  { provider: "cpu", sizes: processorSizes },
];
const machine = describeMachine();
const figures: GpuFigures = { gpu, chosen, voice: [], recognizer: [] };
for (const { provider, sizes } of runs) {
  figures.voice.push(await measureVoice(provider, { sizes, forMs }));
  figures.recognizer.push(await measureRecognizer(provider, { sizes, forMs }));
}
console.log(gpuPage(figures));
console.log(`${machine.processor}, ${machine.cores} cores, Node.js ${machine.node}, commit ${machine.commit}`);
mkdirSync(resultsDirectory, { recursive: true });
const file = join(resultsDirectory, "gpu.jsonl");
appendFileSync(file, `${JSON.stringify({ startedAt: new Date().toISOString(), machine, figures })}\n`);
console.log(`row added to ${file}`);
process.exit(0);
