import { ServiceError } from "#protocol/errors";
import { samplesToBytes } from "#audio/pcm";
import type { AudioEncoder, EncoderPool, EncoderSpec } from "#audio/encoding/encoder";

/** Encoders for tests that give the samples' bytes as they are, and remember how they were used. */
export class PlainEncoders implements EncoderPool {
  readonly opened: EncoderSpec[] = [];
  flushes = 0;
  openCount = 0;
  /** Makes the next write fail. */
  broken = false;

  open(spec: EncoderSpec): AudioEncoder {
    this.opened.push(spec);
    this.openCount++;
    let closed = false;
    const later = async (bytes: Uint8Array): Promise<Uint8Array> => {
      await Promise.resolve();
      if (closed || this.broken) throw new ServiceError("internal");
      return bytes;
    };
    return {
      write: (samples) => later(samplesToBytes(samples)),
      flush: () => {
        this.flushes++;
        return later(new Uint8Array());
      },
      finish: () => later(new Uint8Array()),
      close: () => {
        if (!closed) this.openCount--;
        closed = true;
      },
    };
  }

  close = (): Promise<void> => Promise.resolve();
}
