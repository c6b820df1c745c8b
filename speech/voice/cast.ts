import type { ResolvedVoice } from "#protocol/bus/control";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { VoicePrompt, VoiceSettings, VoiceTraits } from "#protocol/speech/chunk";
import { type ReferenceAudio, speechDefaults, type SpeechRequest } from "#protocol/speech/request";
import type { InlineVoices } from "./inline-voices.js";
import { findNamedSpeaker, speakerSettings } from "./named-speaker.js";
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
 * Finds the voices that a request names: saved ones, and speakers of the models by their names. `reference_id` wins over
 * `references`; a list makes one speaker per entry, and so does a list of lists of samples; a flat list of samples is
 * one speaker. With neither, the model's own voice speaks. Throws `unknown_reference`, `bad_reference_audio`,
 * `dependency_unavailable`.
 */
export async function castVoices(options: {
  request: SpeechRequest;
  teamId: string;
  saved: SavedVoices;
  inline: InlineVoices;
  /** Those that are served, in order of preference: where one speaks in a voice's recording, voices name theirs. */
  models: readonly ServedModel[];
  /** Names the span that needs the voices; none when absent. */
  traceparent?: string;
}): Promise<Cast> {
  const { request, teamId, saved, inline, models, traceparent = null } = options;
  const clonesVoices = models.some((model) => model.clonesVoices === true);
  const speed = request.prosody?.speed ?? speechDefaults.speed;
  const voiceOf = (traits: VoiceTraits | null, prompt: VoicePrompt | null = null): VoiceSettings => ({
    speaker: null,
    language: null,
    speed,
    traits,
    ...(prompt === null || !clonesVoices ? {} : { prompt }),
  });

  const voiceIds = [request.reference_id ?? []].flat().filter((voiceId) => voiceId !== "");
  if (voiceIds.length > 0) {
    const speakers = new Map(voiceIds.map((id) => [id, findNamedSpeaker(models, id)]));
    const savedIds = voiceIds.filter((id) => (speakers.get(id) ?? null) === null);
    const found = savedIds.length === 0 ? [] : await saved.resolve(teamId, savedIds, traceparent);
    const byId = new Map(savedIds.map((id, i) => [id, found[i] ?? null]));
    const voices = voiceIds.map((id) => {
      const speaker = speakers.get(id) ?? null;
      if (speaker !== null) return { ...voiceOf(null), ...speakerSettings(speaker) };
      const voice = byId.get(id) ?? null;
      if (voice === null) throw new ServiceError("unknown_reference");
      return voiceOf(voice.traits, savedPrompt(voice));
    });
    return { voices, voiceIds: savedIds, prompts: new Map() };
  }
  const speakers = groupBySpeaker(request.references ?? []);
  if (speakers.length === 0) return { voices: [voiceOf(null)], voiceIds: [], prompts: new Map() };
  const found = await Promise.all(speakers.map((samples) => inline.voiceOf(samples)));
  return {
    voices: found.map(({ traits, promptId }) => voiceOf(traits, { source: "stream", id: promptId })),
    voiceIds: [],
    prompts: new Map(clonesVoices ? found.map(({ promptId, prompt }) => [promptId, prompt]) : []),
  };
}

/**
 * Which models a stream of these voices prefers, and takes its rate from: those that speak in a recording, or the one
 * whose speaker was named first; null is the order that was configured.
 */
export function modelsFirst(voices: readonly VoiceSettings[]): ((model: ServedModel) => boolean) | null {
  if (voices.some(({ prompt }) => prompt !== undefined)) return ({ clonesVoices }) => clonesVoices === true;
  const named = voices[0]?.speakerModel;
  return named === undefined ? null : ({ name }) => name === named;
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
