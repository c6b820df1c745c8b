import { fromFloat, toFloat } from "#audio/pcm";
import { createResampler } from "#audio/resampling/resampler";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { decodeG711, encodeG711 } from "#test/sip/media/g711";

/** Of telephone audio, Hz. */
const TELEPHONE_RATE = 8000;

/** What a telephone makes of audio at `RECOGNITION_RATE`: 8 kHz, G.711 with mu-law, and back. */
export function byTelephone(samples: Int16Array): Int16Array {
  const narrow = resampled(samples, RECOGNITION_RATE, TELEPHONE_RATE);
  return resampled(decodeG711("PCMU", encodeG711("PCMU", narrow)), TELEPHONE_RATE, RECOGNITION_RATE);
}

function resampled(samples: Int16Array, fromRate: number, toRate: number): Int16Array {
  const resampler = createResampler(fromRate, toRate);
  const begun = fromFloat(resampler.process(toFloat(samples)));
  return Int16Array.from([...begun, ...fromFloat(resampler.flush())]);
}
