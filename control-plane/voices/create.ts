import { validate } from "#common/http/validation";
import { newIdentifier } from "#common/identifier";
import type { Principal } from "#protocol/bus/control";
import type { TranscribedSample } from "#protocol/bus/samples";
import { ServiceError } from "#protocol/errors";
import { MAX_VOICE_SAMPLES, type ModelCreate, modelCreate } from "#protocol/voices";
import type { Db } from "../database/database.js";
import type { SampleRow, VoiceRow } from "./entity.js";
import { languagesOf } from "./languages.js";
import type { MeasureVoice, VoiceMeasurement } from "./measurement.js";
import { requirePicture, sniffMediaType } from "./media-type.js";
import type { VoiceObjects } from "./objects.js";
import { insertVoice, titleColumns } from "./store.js";
import type { Submission } from "./submission.js";
import type { TranscribeVoice } from "./transcription.js";

export interface CreateDependencies {
  db: Db;
  objects: VoiceObjects;
  measure: MeasureVoice;
  transcribe: TranscribeVoice;
  now: () => Date;
}

/**
 * Makes a voice from samples and gives its id. Nothing of it remains when a step fails, apart from objects that the
 * store then refuses to delete. Throws `validation`, `bad_reference_audio` and `dependency_unavailable`.
 */
export async function createVoice(
  dependencies: CreateDependencies,
  principal: Principal,
  submission: Submission,
): Promise<string> {
  const { db, objects, measure, transcribe, now } = dependencies;
  const request = validate(modelCreate, submission.values, ["body"]);
  requireTextForEachVoice(request);
  requirePicture(request.cover_image);
  const measurement = await measure(request.voices);
  const transcripts = await completeTexts(request, transcribe);
  const voiceId = newIdentifier();
  let coverDigest: string | null = null;
  try {
    for (const [position, bytes] of request.voices.entries()) await objects.putSample(voiceId, position, bytes);
    if (measurement.prompt.length > 0) await objects.putPrompt(voiceId, measurement.prompt);
    if (request.cover_image !== undefined) coverDigest = await objects.putCover(voiceId, request.cover_image);
    const voice = voiceRow({
      voiceId,
      principal,
      request,
      languages: languagesOf(transcripts),
      measurement,
      coverDigest,
      createdAt: now(),
    });
    const texts = transcripts.map(({ text }) => text);
    await insertVoice(db, voice, sampleRows(voiceId, { ...request, texts }, submission.sampleNames, measurement));
    return voiceId;
  } catch (error) {
    await objects.remove(voiceId, request.voices.length, coverDigest);
    throw error;
  }
}

function requireTextForEachVoice({ texts, voices }: ModelCreate): void {
  if (texts.length <= voices.length) return;
  const problem = {
    type: "too_long",
    loc: ["body", "texts"],
    msg: `Input should have at most ${voices.length} items, one for each voice`,
    ctx: { max_length: Math.min(voices.length, MAX_VOICE_SAMPLES) },
  };
  throw new ServiceError("validation", { problems: [problem] });
}

/**
 * A transcript for each sample: the caller's, which names no language, else the recognized one (docs/protocol.md
 * "Voices").
 */
async function completeTexts(
  { voices, texts }: ModelCreate,
  transcribe: TranscribeVoice,
): Promise<TranscribedSample[]> {
  const given = voices.map((_, position) => texts[position] ?? "");
  const recognized = await transcribe(voices.filter((_, position) => given[position] === ""));
  return given.map((text) => (text === "" ? recognized.shift() : undefined) ?? { text, languages: [] });
}

function voiceRow(made: {
  voiceId: string;
  principal: Principal;
  request: ModelCreate;
  languages: string[];
  measurement: VoiceMeasurement;
  coverDigest: string | null;
  createdAt: Date;
}): VoiceRow {
  const { voiceId, principal, request, languages, measurement, coverDigest, createdAt } = made;
  const { title, description, visibility, tags, texts, enhance_audio_quality, generate_sample } = request;
  return {
    id: voiceId,
    teamId: principal.teamId,
    authorId: principal.userId,
    ...titleColumns(title),
    description: description ?? "",
    // The interface's default, even though the client libraries all send `private`.
    visibility: visibility ?? "public",
    tags,
    languages,
    defaultText: generate_sample ? (texts.find((text) => text !== "") ?? `Hello, this is how ${title} sounds.`) : "",
    coverDigest,
    enhanceAudioQuality: enhance_audio_quality,
    ...measurement.traits,
    taskCount: 0,
    createdAt,
    updatedAt: createdAt,
  };
}

function sampleRows(
  voiceId: string,
  request: ModelCreate,
  names: string[],
  measurement: VoiceMeasurement,
): SampleRow[] {
  return request.voices.map((bytes, position) => ({
    voiceId,
    position,
    title: (names[position] ?? "").replaceAll("\u0000", "").slice(0, 256) || `Sample ${position + 1}`,
    text: request.texts[position] ?? "",
    taskId: newIdentifier(),
    mediaType: sniffMediaType(bytes),
    durationMs: Math.round(measurement.durationsMs[position] ?? 0),
  }));
}
