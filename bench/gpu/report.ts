import { table } from "../results.js";
import type { BatchFigures } from "./measure.js";
import type { Gpu } from "./nvidia.js";
import type { ChosenProvider } from "./provider.js";
import type { RecognizerFigures } from "./recognizer.js";
import type { VoiceFigures } from "./voice.js";

/** What one run measured: with the GPU where there is one that works, and with the processor always. */
export interface GpuFigures {
  gpu: Gpu | { missing: string };
  chosen: ChosenProvider;
  voice: VoiceFigures[];
  recognizer: RecognizerFigures[];
}

/** The figures for people. */
export function gpuPage({ gpu, chosen, voice, recognizer }: GpuFigures): string {
  const lines = [
    "missing" in gpu ? `not measured: ${gpu.missing}` : `${gpu.name}, ${gpu.memory}, driver ${gpu.driver}`,
  ];
  for (const { provider, reason } of chosen.refused)
    lines.push(`the provider ${provider} does not work here: ${reason}`);
  if (!("missing" in gpu) && chosen.provider === null) lines.push("not measured: no provider reaches the GPU");
  lines.push(
    "",
    "Voice, one clause of 20 characters, and streams that speak without a pause",
    table(
      ["provider", "first audio p50 ms", "p95", "streams"],
      voice.map((one) => [one.provider, one.firstAudioP50Ms, one.firstAudioP95Ms, one.streams]),
    ),
    "",
    "Voice, sentences of 71 characters in one call",
    curves(voice),
    "",
    "Recognizer, recordings of people in one call",
    curves(recognizer),
  );
  return lines.join("\n");
}

function curves(all: readonly { provider: string; curve: readonly BatchFigures[] }[]): string {
  return table(
    ["provider", "batch", "call p50 ms", "p95", "audio s per s", "calls"],
    all.flatMap(({ provider, curve }) =>
      curve.map((point) => [
        provider,
        point.batch,
        point.callP50Ms,
        point.callP95Ms,
        point.audioPerSecond,
        point.calls,
      ]),
    ),
  );
}
