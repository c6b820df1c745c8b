import type { ResolvedVoice } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { VoicePrompt, VoiceSettings, VoiceTraits } from "#protocol/speech/chunk";
import { type ReferenceAudio, speechDefaults, type SpeechRequest } from "#protocol/speech/request";
import type { InlineVoices } from "./inline-voices.js";
import type { SavedVoices } from "./saved-voices.js";

/** Who speaks a request: a voice per speaker of its script, never empty. */
export interface Cast {
  voices: VoiceSettings[];
  /** Saved voices among them. */
  voiceIds: string[];
  /** Recordings that the voices name and that came with the request, by id. */
  prompts: ReadonlyMap<string, Int16Array>;
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
  /** Whether a model is served that speaks in a voice's recording: the voices then name theirs. */
  clonesVoices: boolean;
  /** Names the span that needs the voices; none when absent. */
  traceparent?: string;
}): Promise<Cast> {
  const { request, teamId, saved, inline, clonesVoices, traceparent = null } = options;
  const speed = request.prosody?.speed ?? speechDefaults.speed;
  const voiceOf = (
    speaker: string | null,
    traits: VoiceTraits | null,
    prompt: VoicePrompt | null = null,
  ): VoiceSettings => ({
    speaker,
    language: null,
    speed,
    traits,
    ...(prompt === null || !clonesVoices ? {} : { prompt }),
  });

  const voiceIds = [request.reference_id ?? []].flat().filter((voiceId) => voiceId !== "");
  if (voiceIds.length > 0) {
    const voices = (await saved.resolve(teamId, voiceIds, traceparent)).map((voice) => {
      if (voice === null) throw new ServiceError("unknown_reference");
      return voiceOf(voice.speaker, voice.traits, savedPrompt(voice));
    });
    return { voices, voiceIds, prompts: new Map() };
  }
  const speakers = groupBySpeaker(request.references ?? []);
  if (speakers.length === 0) return { voices: [voiceOf(null, null)], voiceIds: [], prompts: new Map() };
  const found = await Promise.all(speakers.map((samples) => inline.voiceOf(samples)));
  return {
    voices: found.map(({ traits, promptId }) => voiceOf(null, traits, { source: "stream", id: promptId })),
    voiceIds: [],
    prompts: new Map(clonesVoices ? found.map(({ promptId, prompt }) => [promptId, prompt]) : []),
  };
}

/** The recording of a saved voice, which the library gives out; null where it has none. */
export function savedPrompt({ voiceId, hasPrompt }: ResolvedVoice): VoicePrompt | null {
  return hasPrompt === true ? { source: "library", id: voiceId } : null;
}

function groupBySpeaker(references: ReferenceAudio[] | ReferenceAudio[][]): ReferenceAudio[][] {
  if (references.length === 0) return [];
  const isList = (item: ReferenceAudio | ReferenceAudio[]): item is ReferenceAudio[] => Array.isArray(item);
  const speakers = references.filter(isList);
  return speakers.length > 0 ? speakers : [references.filter((item): item is ReferenceAudio => !isList(item))];
}
