import type { AudioEncoder, EncoderSpec } from "./encoder.js";
import { createPipeline } from "./pipeline.js";

/** Longest audio encoded on the caller's thread: about a millisecond's work. */
const MOST_SECONDS = 0.25;

/**
 * Encodes the first write of a PCM or WAV stream on the caller's thread, where it is done before a thread would have
 * been woken: a client waits for those bytes. The stream's thread gets the same samples, which bring its filters to
 * where they belong, and its equal answer is dropped.
 */
export function withFirstWriteHere(encoder: AudioEncoder, spec: EncoderSpec): AudioEncoder {
  if (spec.format !== "pcm" && spec.format !== "wav") return encoder;
  let isFirst = true;
  return {
    async write(samples) {
      const here = isFirst && samples.length <= MOST_SECONDS * spec.inputSampleRate;
      isFirst = false;
      if (!here) return await encoder.write(samples);
      const copy = samples.slice();
      // Before anything is awaited: the thread must see the calls in their order. Should it fail, the next call says
      // so.
      encoder.write(samples).catch(() => undefined);
      return (await createPipeline(spec)).write(copy);
    },
    flush() {
      isFirst = false;
      return encoder.flush();
    },
    finish() {
      isFirst = false;
      return encoder.finish();
    },
    close() {
      isFirst = false;
      encoder.close();
    },
  };
}
