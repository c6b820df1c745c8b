import { fileURLToPath } from "node:url";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { defaultSampling, neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import { Phonemizer } from "#workers/engines/espeak/phonemizer";
import { ModelThreads } from "#workers/engines/model-threads";
import { OnnxEngine } from "#workers/engines/onnx/engine";
import { SessionPool } from "#workers/engines/onnx/session-pool";
import { type ModelFolder, readModelFolder } from "#workers/repository/folder";

/** `dist/bench` → the model that speaks English by default. */
export const voiceFolder = fileURLToPath(new URL("../../models/parley-en", import.meta.url));

/** The model without the graph that moves its pitch by words: what it then says, other programs say too. */
export function withoutProsody({ folder, manifest }: ModelFolder): ModelFolder {
  const { prosody: _, prosodyConfig: __, ...files } = manifest.files;
  return { folder, manifest: { ...manifest, files } };
}

/**
 * The engine of a worker with one slot and one thread, loaded and warmed, without a cluster around it; of a model that
 * `change` may have changed.
 */
export async function loadVoiceEngine(
  providers: readonly string[] = ["cpu"],
  change: (model: ModelFolder) => ModelFolder = (model) => model,
): Promise<{ engine: OnnxEngine; close(): Promise<void> }> {
  const log = createLogger("bench", "warn");
  const threads = new ModelThreads(1);
  const phonemizer = new Phonemizer({ log, clock: systemClock });
  const engine = await OnnxEngine.load({
    model: change(await readModelFolder(voiceFolder)),
    pool: new SessionPool(threads),
    phonemizer,
    providers,
    log,
  });
  await engine.warmUp();
  return {
    engine,
    close: async () => {
      await Promise.all([engine.close(), threads.close(), phonemizer.close()]);
    },
  };
}

/** What the edge makes of a text with the request's defaults. */
export function chunkOf(text: string): SpeechChunk {
  return {
    task: "speak",
    streamId: "bench",
    chunkIndex: 0,
    attempt: 1,
    ownerId: "bench",
    model: "parley-en",
    text,
    normalize: true,
    voice: { speaker: null, language: null, speed: 1, traits: null },
    delivery: neutralDelivery,
    sampling: defaultSampling,
    pauseAfterMs: 0,
    seed: 1,
    maxSamples: 0,
    traceparent: null,
  };
}
