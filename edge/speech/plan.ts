import { ServiceError } from "#protocol/errors";
import { opusBitsPerSecond, speechDefaults, type SpeechModel, type SpeechRequest } from "#protocol/speech/request";
import type { EncoderSpec } from "#audio/encoding/encoder";
import { newIdentifier } from "#common/identifier";
import type { Pace } from "#speech/chunking/pace";
import type { Pacing, StreamSettings } from "#speech/stream/stream-settings";
import { castVoices, modelsFirst } from "#speech/voice/cast";
import { speakingVoice, takesFreeTags } from "#speech/voice/model";
import { findNamedSpeaker, speakerSettings } from "#speech/voice/named-speaker";
import { samplingOf } from "#speech/voice/sampling";
import { seedBase } from "#speech/voice/seed";
import type { AskedStream } from "../cluster/stream-admission.js";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";

/** Audio tokens that the service's models make per second of audio: `max_new_tokens` counts them. */
export const AUDIO_TOKENS_PER_SECOND = 21.5;

const FREE_MODEL: SpeechModel = "s2.1-pro-free";

/** Characters that tell a text's language. */
const LANGUAGE_SAMPLE_CHARACTERS = 200;

/** A validated request turned into what the parts of the speech path want to know. */
export interface SpeechPlan {
  settings: StreamSettings;
  pace: Pace;
  freeTags: boolean;
  /** All but the rate of the samples that will come. */
  encoding: Omit<EncoderSpec, "inputSampleRate">;
  /** Rate at which the model is announced to speak, Hz. */
  expectedSampleRate: number;
  voiceIds: string[];
  /** What the overload gate calls work like it. */
  kind: string;
}

/** Longest time to the first audio of a stream for which it is taken; undefined is the scheduler's own limit. */
function mostWaitMsOf({ isAwaited, context }: RequestedSpeech): number | undefined {
  return isAwaited ? context.config.PARLEY_LIVE_WAIT_MS : undefined;
}

/** A validated request of an admitted caller, and how far ahead of its player it is spoken. */
export interface RequestedSpeech {
  request: SpeechRequest;
  caller: Caller;
  context: SpeechContext;
  pacing: Pacing;
  /** Whether somebody waits for its first audio, and had better be refused at once than hear it late. */
  isAwaited: boolean;
}

/**
 * What the overload gate calls work like this: where a cluster has no room for who waits half a second, it may have
 * some for who waits longer, and for another team that has less than its share.
 */
function speechKind(options: RequestedSpeech): string {
  const mostWaitMs = mostWaitMsOf(options);
  const { model, principal } = options.caller;
  return `speak ${model.name} within ${mostWaitMs ?? "any"} ms for ${principal.teamId}`;
}

/**
 * What the admission of a stream wants to know, before it is planned; `text` is its first. The free tier has its own
 * line, of whose length schedulers say nothing.
 */
export function askedStream(options: RequestedSpeech, text: string): AskedStream {
  const { caller, context } = options;
  const models = context.speech.servedModels(caller.model.folders);
  const isLive = caller.model.name !== FREE_MODEL && models.length > 0;
  const [firstId = ""] = [options.request.reference_id ?? []].flat();
  const speaker = findNamedSpeaker(models, firstId);
  const voice = {
    language: null,
    speed: 1,
    traits: null,
    speaker: null,
    ...(speaker === null ? {} : speakerSettings(speaker)),
  };
  const room = {
    model: speakingVoice(models, text.slice(0, LANGUAGE_SAMPLE_CHARACTERS), voice).model,
    teamId: caller.principal.teamId,
    mostWaitMs: mostWaitMsOf(options) ?? Number.POSITIVE_INFINITY,
  };
  return { kind: speechKind(options), room: isLive ? room : null };
}

/**
 * Plans a request. `normalize_loudness`, `condition_on_previous_chunks`, `early_stop_threshold` and `features` are
 * accepted and have no effect in this version. Throws `no_worker` and the errors of `castVoices`.
 */
export async function planSpeech(options: RequestedSpeech): Promise<SpeechPlan> {
  const { request, caller, context, pacing } = options;
  const { folders, name } = caller.model;
  const { speech, savedVoices: saved, inlineVoices: inline } = context;
  const available = speech.servedModels(folders);
  if (available.length === 0) throw new ServiceError("no_worker", { parameters: { model: name } });
  const cast = await castVoices({
    request,
    teamId: caller.principal.teamId,
    saved,
    inline,
    models: available,
    traceparent: caller.traceparent,
  });
  const isFirst = modelsFirst(cast.voices);
  const models = isFirst === null ? available : speech.servedModels(folders, isFirst);
  const [served] = models;
  // They may have gone meanwhile.
  if (served === undefined) throw new ServiceError("no_worker", { parameters: { model: name } });
  const format = request.format ?? speechDefaults.format;
  const maxTokens = request.max_new_tokens ?? 0;
  const latency = request.latency ?? speechDefaults.latency;
  const mostWaitMs = mostWaitMsOf(options);
  return {
    settings: {
      streamId: newIdentifier(),
      models: models.map((model) => ({ name: model.name, languages: model.languages })),
      sampleRate: served.sampleRate,
      tier: name === FREE_MODEL ? "free" : "live",
      isAdmitted: false,
      teamId: caller.principal.teamId,
      ...(mostWaitMs === undefined ? {} : { mostWaitMs }),
      voices: cast.voices,
      prompts: cast.prompts,
      normalize: request.normalize ?? speechDefaults.normalize,
      sampling: samplingOf(request),
      maxSamples: Math.ceil((maxTokens / AUDIO_TOKENS_PER_SECOND) * served.sampleRate),
      seedBase: seedBase(served.name, cast.voices, request),
      traceparent: caller.traceparent,
      pacing,
      firstAudioGoalMs: context.config.PARLEY_FIRST_AUDIO_GOAL_MS,
    },
    pace: {
      latency,
      chunkLength: request.chunk_length ?? speechDefaults.chunk_length,
      minChunkLength: request.min_chunk_length ?? speechDefaults.min_chunk_length,
    },
    freeTags: takesFreeTags(name),
    encoding: {
      format,
      outputSampleRate: request.sample_rate ?? (format === "opus" ? 48_000 : 44_100),
      mp3KilobitsPerSecond: request.mp3_bitrate ?? speechDefaults.mp3_bitrate,
      opusBitsPerSecond: opusBitsPerSecond(request.opus_bitrate),
      gainDb: request.prosody?.volume ?? speechDefaults.volume,
    },
    expectedSampleRate: served.sampleRate,
    voiceIds: cast.voiceIds,
    kind: speechKind(options),
  };
}
