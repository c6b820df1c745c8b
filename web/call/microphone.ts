import { CallFailure } from "./call-failure.js";

/** Asks for the microphone, as a browser's user allows it. Throws a `CallFailure`. */
export async function openMicrophone(): Promise<MediaStreamTrack> {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    const [track] = stream.getAudioTracks();
    if (track !== undefined) return track;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "NotAllowedError")
      throw new CallFailure("microphone_denied", "The microphone was not allowed", { cause });
    throw new CallFailure("microphone_missing", "There is no microphone to use", { cause });
  }
  throw new CallFailure("microphone_missing", "The microphone gives no audio");
}
