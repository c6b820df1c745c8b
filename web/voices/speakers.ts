import { useQuery } from "@tanstack/react-query";
import type { SpeakerList } from "#protocol/speech/speakers";
import type { SpeechModel } from "#protocol/speech/request";
import { send } from "../api/request.js";
import { useScope } from "../session/scope.js";

/** A speaker as a list of voices offers it. */
export interface SpeakerChoice {
  value: string;
  label: string;
}

/**
 * The speakers that the voices behind a model have of their own, as choices of a list; none for a key that may not
 * speak.
 */
export function useSpeakers(model: SpeechModel): SpeakerChoice[] {
  const { data } = useQuery({
    queryKey: ["speakers", model],
    queryFn: async () =>
      (await send("GET", "/v1/tts/speakers", undefined, undefined, { model })).json() as Promise<SpeakerList>,
    enabled: useScope("speech"),
    staleTime: 60_000,
  });
  return speakerChoices(data?.items ?? []);
}

/** What a list shows of speakers: their names, and the voice model where it is not in the name. */
export function speakerChoices(speakers: SpeakerList["items"]): SpeakerChoice[] {
  return speakers.map(({ id, voice_model: model }) => ({
    value: id,
    label: id === model || id.startsWith(`${model}:`) ? id : `${id} (${model})`,
  }));
}
