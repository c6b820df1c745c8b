import { type AudioFormat, defaultSpeechModel, type SpeechModel, type SpeechRequest } from "#protocol/speech/request";

/** What is chosen on the page; null and the empty text leave a field to the service. */
export interface SpeakSettings {
  text: string;
  model: SpeechModel;
  /** A voice's id. */
  voice: string;
  format: AudioFormat;
  latency: "" | "low" | "balanced" | "normal";
  speed: number | null;
  volumeDb: number | null;
  temperature: number | null;
  topP: number | null;
  repetitionPenalty: number | null;
}

export const initialSettings: SpeakSettings = {
  text: "Hello! This is Parley. You hear me while I am still being made.",
  model: defaultSpeechModel,
  voice: "",
  format: "mp3",
  latency: "",
  speed: null,
  volumeDb: null,
  temperature: null,
  topP: null,
  repetitionPenalty: null,
};

/** The body of the request, with nothing in it that was left to the service. */
export function requestOf(settings: SpeakSettings): SpeechRequest {
  const { text, voice, format, latency, speed, volumeDb, temperature, topP, repetitionPenalty } = settings;
  const prosody = { ...(speed === null ? {} : { speed }), ...(volumeDb === null ? {} : { volume: volumeDb }) };
  return {
    text,
    ...(voice === "" ? {} : { reference_id: voice }),
    format,
    ...(latency === "" ? {} : { latency }),
    ...(Object.keys(prosody).length === 0 ? {} : { prosody }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(repetitionPenalty === null ? {} : { repetition_penalty: repetitionPenalty }),
  };
}
