/**
 * The last step of an encoding: samples at the output rate, -1 to 1, to bytes. All methods give the bytes that are
 * ready.
 */
export interface Codec {
  encode(samples: Float32Array): Uint8Array[];
  /** Pushes out what is held back; silence may be added. The stream goes on. */
  flush(): Uint8Array[];
  /** Gives the rest and closes the container. */
  finish(): Uint8Array[];
  /** Frees memory outside of JavaScript's own; absent where there is none. */
  free?(): void;
}

/** Cuts samples into frames of one size, so that a codec sees the same frames however its input was split. */
export interface Framing {
  /** Calls `take` for each frame that is complete; the frame is valid during the call only. */
  push(samples: Float32Array, take: (frame: Float32Array) => void): void;
  /** Samples that wait for their frame to fill. */
  waiting(): number;
  /** Gives the unfinished frame without padding. */
  rest(): Float32Array;
}

export function createFraming(frameSamples: number): Framing {
  const frame = new Float32Array(frameSamples);
  let filled = 0;
  return {
    push(samples, take) {
      for (let from = 0; from < samples.length; ) {
        const count = Math.min(frameSamples - filled, samples.length - from);
        frame.set(samples.subarray(from, from + count), filled);
        filled += count;
        from += count;
        if (filled < frameSamples) return;
        filled = 0;
        take(frame);
      }
    },
    waiting: () => filled,
    rest() {
      const rest = frame.slice(0, filled);
      filled = 0;
      return rest;
    },
  };
}
