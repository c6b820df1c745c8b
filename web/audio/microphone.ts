import { StreamFailure } from "../api/stream-failure.js";
import captureUrl from "./capture-worklet.js?worker&url";
import { decimate } from "./pcm.js";

/** Recognizers need no more; what the device gives beyond is averaged away, by a whole factor. */
const LEAST_RATE = 16_000;

export interface Microphone {
  sampleRate: number;
  close(): void;
}

/** Opens the microphone, which the browser may ask its user for. Throws `StreamFailure` in words. */
export async function openMicrophone(onSamples: (samples: Float32Array<ArrayBuffer>) => void): Promise<Microphone> {
  const stream = await askForMicrophone();
  const context = new AudioContext();
  const close = (): void => {
    for (const track of stream.getTracks()) track.stop();
    if (context.state !== "closed") void context.close();
  };
  try {
    await context.audioWorklet.addModule(captureUrl);
    const factor = Math.max(1, Math.floor(context.sampleRate / LEAST_RATE));
    const capture = new AudioWorkletNode(context, "capture", { numberOfOutputs: 0 });
    capture.port.onmessage = ({ data }) => onSamples(decimate(data as Float32Array, factor));
    context.createMediaStreamSource(stream).connect(capture);
    return { sampleRate: Math.floor(context.sampleRate / factor), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function askForMicrophone(): Promise<MediaStream> {
  // Absent on pages that came over plain HTTP from another machine.
  if (navigator.mediaDevices === undefined)
    throw new StreamFailure("browsers give the microphone to pages over https, or from this machine, only.");
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  } catch {
    throw new StreamFailure("the browser did not give this page a microphone.");
  }
}
