import { ServiceError } from "#protocol/errors";
import type { VoiceSettings, VoiceTraits } from "#protocol/speech/chunk";
import type { ReferenceAudio, SpeechRequest } from "#protocol/speech/request";
import type { InlineVoices } from "./inline-voices.js";
import type { SavedVoices } from "./saved-voices.js";

/** Who speaks a request: a voice per speaker of its script, never empty. */
export interface Cast {
  voices: VoiceSettings[];
  /** Saved voices among them. */
  voiceIds: string[];
}

/**
 * Finds the voices that a request names. `reference_id` wins over `references`; a list makes one speaker per entry, and
 * so does a list of lists of samples; a flat list of samples is one speaker. With neither, the model's own voice
 * speaks. Throws `unknown_reference`, `bad_reference_audio`, `dependency_unavailable`.
 */
export async function castVoices(options: {
  request: SpeechRequest;
  teamId: string;
  saved: SavedVoices;
  inline: InlineVoices;
  /** Names the span that needs the voices; none when absent. */
  traceparent?: string;
}): Promise<Cast> {
  const { request, teamId, saved, inline, traceparent = null } = options;
  const speed = request.prosody?.speed ?? 1;
  const voiceOf = (speaker: string | null, traits: VoiceTraits | null): VoiceSettings => ({
    speaker,
    language: null,
    speed,
    traits,
  });

  const voiceIds = [request.reference_id ?? []].flat().filter((voiceId) => voiceId !== "");
  if (voiceIds.length > 0) {
    const voices = (await saved.resolve(teamId, voiceIds, traceparent)).map((voice) => {
      if (voice === null) throw new ServiceError("unknown_reference");
      return voiceOf(voice.speaker, voice.traits);
    });
    return { voices, voiceIds };
  }
  const speakers = groupBySpeaker(request.references ?? []);
  if (speakers.length === 0) return { voices: [voiceOf(null, null)], voiceIds: [] };
  const traits = await Promise.all(speakers.map((samples) => inline.traitsOf(samples)));
  return { voices: traits.map((measured) => voiceOf(null, measured)), voiceIds: [] };
}

function groupBySpeaker(references: ReferenceAudio[] | ReferenceAudio[][]): ReferenceAudio[][] {
  if (references.length === 0) return [];
  const isList = (item: ReferenceAudio | ReferenceAudio[]): item is ReferenceAudio[] => Array.isArray(item);
  const speakers = references.filter(isList);
  return speakers.length > 0 ? speakers : [references.filter((item): item is ReferenceAudio => !isList(item))];
}
