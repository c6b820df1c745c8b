import { bytesToSamples } from "#audio/pcm";
import { processSeconds } from "../../processor-time.js";
import { type ProgramOptions, startLineProgram } from "../program.js";
import type { Utterance } from "./symbols.js";
import type { SpeakAnswer, SpeakQuestion, VoiceClient } from "./way.js";

/** A way that measures itself in its own process: nothing of the asking lies in its times. */
export async function startInProcess(name: string, sampleRate: number, options: ProgramOptions): Promise<VoiceClient> {
  const program = await startLineProgram(options);
  const ask = (utterance: Utterance, keep: boolean): Promise<SpeakAnswer> =>
    program.ask<SpeakAnswer>({ ...utterance, keep } satisfies SpeakQuestion);
  return {
    name,
    sampleRate,
    speak: (utterance) => ask(utterance, false),
    async record(utterance) {
      const { audio } = await ask(utterance, true);
      return bytesToSamples(Buffer.from(audio ?? "", "base64"));
    },
    processorSeconds: () => processSeconds(program.pid),
    stop: program.stop,
  };
}
