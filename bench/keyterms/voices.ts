import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { samplesToBytes } from "#audio/pcm";
import { createPcmReader } from "#audio/pcm-reader";
import type { SpeechEngine } from "#workers/engines/engine";
import { speakOne, testChunk } from "#workers/engines/testing/speak";

/** A voice that comes with Parley. */
export interface EmbeddedVoice {
  name: string;
  speak(text: string): Promise<Int16Array>;
}

/** Every speaker of the embedded English voice, and the classical engine's own; all give 16 kHz. */
export function embeddedVoices(engines: ReadonlyMap<string, SpeechEngine>): EmbeddedVoice[] {
  return [...engines].flatMap(([model, engine]) => {
    const speakers = model === "espeak" ? [null] : engine.describe().speakers;
    return speakers.map((speaker) => ({
      name: speaker === null ? model : `${model} ${speaker}`,
      speak: async (text: string): Promise<Int16Array> => {
        const chunk = testChunk(text, { normalize: true, voice: { speaker, language: "en" } });
        const { samples } = await speakOne(engine, chunk);
        const reader = createPcmReader(engine.describe().sampleRate, RECOGNITION_RATE);
        return Int16Array.from([...reader.read(samplesToBytes(samples)), ...reader.end()]);
      },
    }));
  });
}
