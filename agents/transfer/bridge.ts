import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { fromFloat, toFloat } from "#audio/pcm";
import { createResampler } from "#audio/resampling/resampler";
import type { VoiceTrack } from "../room/room.js";
import type { Leg } from "./leg.js";

/** What waits on one side before more of the other is left out: clocks differ, and talk must not lag behind. */
const MOST_QUEUED_MS = 400;

/** Lets a caller and whoever is at the other leg hear each other. Gives what takes the caller's audio. */
export function bridge(caller: VoiceTrack, leg: Leg): (samples: Int16Array) => void {
  const resampler = createResampler(RECOGNITION_RATE, caller.sampleRate);
  caller.clear();
  leg.voice.clear();
  leg.onAudio = (samples) => pass(caller, fromFloat(resampler.process(toFloat(samples))));
  return (samples) => pass(leg.voice, samples);
}

function pass(to: VoiceTrack, samples: Int16Array): void {
  if (to.queuedMs() < MOST_QUEUED_MS) void to.write(samples);
}
