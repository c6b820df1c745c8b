import type { Sampling } from "#protocol/speech/chunk";
import { speechDefaults, type SpeechRequest } from "#protocol/speech/request";

/** A request's sampling, with the defaults for what it leaves out: to say a default is the same as to say nothing. */
export function samplingOf(request: Pick<SpeechRequest, "temperature" | "top_p" | "repetition_penalty">): Sampling {
  return {
    temperature: request.temperature ?? speechDefaults.temperature,
    topP: request.top_p ?? speechDefaults.top_p,
    repetitionPenalty: request.repetition_penalty ?? speechDefaults.repetition_penalty,
  };
}
