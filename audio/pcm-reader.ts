import { bytesToSamples, fromFloat, toFloat } from "./pcm.js";
import { createResampler } from "./resampling/resampler.js";

/** Converts mono s16le bytes, in portions of any length, to samples at another rate. */
export interface PcmReader {
  /** The samples that are complete with these bytes. */
  read(bytes: Uint8Array): Int16Array;
  /** The samples that the resampler still holds. Half a sample at the end is dropped. */
  end(): Int16Array;
}

/** Opens a reader between two rates in Hz. The samples do not depend on the portions. */
export function createPcmReader(inputSampleRate: number, outputSampleRate: number): PcmReader {
  const resampler = inputSampleRate === outputSampleRate ? null : createResampler(inputSampleRate, outputSampleRate);
  let half: Uint8Array = new Uint8Array(0);
  return {
    read(bytes) {
      const whole = half.length === 0 ? bytes : Buffer.concat([half, bytes]);
      half = whole.length % 2 === 0 ? new Uint8Array(0) : whole.slice(-1);
      const samples = bytesToSamples(whole);
      return resampler === null ? samples : fromFloat(resampler.process(toFloat(samples)));
    },
    end: () => (resampler === null ? new Int16Array(0) : fromFloat(resampler.flush())),
  };
}
