import { agentSpeechModel } from "#protocol/agents/config-values";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { ServiceError } from "#protocol/errors";
import { defaultSampling, type VoiceSettings } from "#protocol/speech/chunk";
import type { Config } from "#common/config/config";
import type { SpeechClient } from "#speech/speech-client";
import { livePacing, type StreamSettings } from "#speech/stream/stream-settings";
import { modelsFirst, savedPrompt } from "#speech/voice/cast";
import { type ChosenModel, chooseModel } from "#speech/voice/model";
import { findNamedSpeaker, speakerSettings } from "#speech/voice/named-speaker";
import type { SavedVoices } from "#speech/voice/saved-voices";
import { seedBase } from "#speech/voice/seed";

/** What speaks a conversation: the same for all its replies. */
export interface VoicePlan {
  model: ChosenModel["name"];
  sampleRate: number;
  settings: Omit<StreamSettings, "streamId" | "traceparent">;
  voiceIds: string[];
}

/**
 * Finds the agent's voice, a saved one or a speaker of a model by its name. A voice that is gone is replaced by the
 * model's own: a caller had better hear another voice than none. Throws `no_worker`, `dependency_unavailable`.
 */
export async function planVoice(options: {
  plan: Pick<ConversationPlan, "config" | "teamId">;
  speech: Pick<SpeechClient, "servedModels">;
  savedVoices: Pick<SavedVoices, "resolve">;
  config: Pick<Config, "PARLEY_MODEL_ALIASES" | "PARLEY_MODEL_MAP" | "PARLEY_FIRST_AUDIO_GOAL_MS">;
  onVoiceMissing(): void;
}): Promise<VoicePlan> {
  const { plan, speech, savedVoices, config } = options;
  const { voice_id: voiceId, speaking_language: language } = plan.config.voice;
  const chosen = chooseModel(agentSpeechModel, config);
  const available = speech.servedModels(chosen.folders);
  if (available.length === 0) throw new ServiceError("no_worker", { parameters: { model: chosen.name } });
  const speaker = findNamedSpeaker(available, voiceId);
  const [saved = null] = voiceId === "" || speaker !== null ? [] : await savedVoices.resolve(plan.teamId, [voiceId]);
  if (voiceId !== "" && saved === null && speaker === null) options.onVoiceMissing();
  const clonesVoices = available.some((model) => model.clonesVoices === true);
  const prompt = saved === null || !clonesVoices ? null : savedPrompt(saved);
  const voices: VoiceSettings[] = [
    {
      speaker: null,
      traits: saved?.traits ?? null,
      language,
      speed: 1,
      ...(speaker === null ? {} : speakerSettings(speaker)),
      ...(prompt === null ? {} : { prompt }),
    },
  ];
  const isFirst = modelsFirst(voices);
  const models = isFirst === null ? available : speech.servedModels(chosen.folders, isFirst);
  const [served] = models;
  // They may have gone meanwhile.
  if (served === undefined) throw new ServiceError("no_worker", { parameters: { model: chosen.name } });
  return {
    model: chosen.name,
    sampleRate: served.sampleRate,
    voiceIds: saved === null ? [] : [voiceId],
    settings: {
      models: models.map(({ name, languages }) => ({ name, languages })),
      sampleRate: served.sampleRate,
      tier: "live",
      isAdmitted: true,
      voices,
      normalize: true,
      sampling: defaultSampling,
      maxSamples: 0,
      seedBase: seedBase(served.name, voices, { text: "" }),
      pacing: livePacing,
      firstAudioGoalMs: config.PARLEY_FIRST_AUDIO_GOAL_MS,
    },
  };
}
