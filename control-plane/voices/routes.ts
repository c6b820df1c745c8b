import type { Bus } from "#common/bus/bus";
import { validate } from "#common/http/validation";
import type { MultipartLimits } from "#common/multipart/multipart";
import { type ForwardedResponse, type VoiceChanged, voiceChangedSubject } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { MAX_VOICE_SAMPLES, type ModelEntity, modelListQuery, modelPatch, voiceUploadLimits } from "#protocol/voices";
import { readAnyBody } from "../http/body.js";
import { queryRecord } from "../http/query.js";
import { json, type Route, type RouteRequest } from "../http/route.js";
import { type CreateDependencies, createVoice } from "./create.js";
import { toEntity, type VoiceRecord } from "./entity.js";
import { listVoices } from "./list.js";
import { requirePicture, sniffMediaType } from "./media-type.js";
import { deleteVoice, findOwnVoice, findVoice, updateVoice } from "./store.js";
import { readSubmission } from "./submission.js";

export interface VoiceDependencies extends CreateDependencies {
  bus: Bus;
}

const formLimits: MultipartLimits = {
  // One more than allowed, so that too many are a validation problem and not a broken form; and the cover.
  files: MAX_VOICE_SAMPLES + 2,
  fileBytes: voiceUploadLimits.fileBytes,
  fields: 128,
  fieldBytes: 64 * 1024,
  totalBytes: voiceUploadLimits.totalBytes,
  fileFields: ["voices", "cover_image"],
};

/** `data` is a Node Buffer's, as JSON writes it. */
const fileFields = ["voices", "cover_image", "data"];
const STATUS_OK = { status: "ok" };

/**
 * `/model` (docs/protocol.md "Voices"). A voice that the caller may not see answers exactly as a missing one, on every
 * verb, before anything else of the request is looked at. A public voice without a cover is accepted.
 */
export function voiceRoutes(dependencies: VoiceDependencies): Route[] {
  const handlers: [
    Route["method"],
    string,
    (dependencies: VoiceDependencies, request: RouteRequest) => Promise<ForwardedResponse>,
  ][] = [
    ["GET", "/model", list],
    ["POST", "/model", create],
    ["GET", "/model/:id", get],
    ["PATCH", "/model/:id", patch],
    ["DELETE", "/model/:id", remove],
    ["GET", "/model/:id/samples/:position", getSample],
    ["GET", "/model/:id/cover", getCover],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "voices",
    handle: (request) => handler(dependencies, request),
  }));
}

async function list({ db }: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const raw = queryRecord(request.query, ["tag", "language", "title_language"]);
  const query = validate(modelListQuery, raw, ["query"]);
  return json(200, await listVoices(db, query, request.principal.teamId));
}

async function create(dependencies: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const submission = readSubmission(await readAnyBody(request, formLimits, fileFields));
  const voiceId = await createVoice(dependencies, request.principal, submission);
  return json(201, await entityOf(dependencies, voiceId, request.principal.teamId));
}

async function get(dependencies: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, toEntity(await readable(dependencies, request)));
}

async function patch(dependencies: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { db, objects, bus, now } = dependencies;
  const voice = await findOwnVoice(db, request.parameters["id"] ?? "", request.principal.teamId);
  if (voice === null) throw new ServiceError("not_found");
  const { values } = readSubmission(await readAnyBody(request, formLimits, fileFields));
  const change = validate(modelPatch, values, ["body"]);
  requirePicture(change.cover_image);
  const coverDigest = change.cover_image === undefined ? null : await objects.putCover(voice.id, change.cover_image);
  const changed = await updateVoice(db, voice, { patch: change, coverDigest, now: now() });
  if (!changed) throw new ServiceError("not_found");
  if (coverDigest !== null && voice.coverDigest !== coverDigest) await objects.remove(voice.id, 0, voice.coverDigest);
  bus.publish(voiceChangedSubject, { voiceId: voice.id } satisfies VoiceChanged);
  return json(200, STATUS_OK);
}

async function remove(dependencies: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { db, objects, bus } = dependencies;
  const voice = await findOwnVoice(db, request.parameters["id"] ?? "", request.principal.teamId);
  const sampleCount = voice === null ? null : await deleteVoice(db, voice);
  if (voice === null || sampleCount === null) throw new ServiceError("not_found");
  bus.publish(voiceChangedSubject, { voiceId: voice.id } satisfies VoiceChanged);
  await objects.remove(voice.id, sampleCount, voice.coverDigest);
  return json(200, STATUS_OK);
}

async function getSample(dependencies: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { samples, voice } = await readable(dependencies, request);
  const sample = samples.find(({ position }) => String(position) === request.parameters["position"]);
  return download(sample === undefined ? null : await dependencies.objects.sample(voice.id, sample.position));
}

async function getCover(dependencies: VoiceDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { voice } = await readable(dependencies, request);
  return download(voice.coverDigest === null ? null : await dependencies.objects.cover(voice.id, voice.coverDigest));
}

function download(bytes: Uint8Array | null): ForwardedResponse {
  if (bytes === null) throw new ServiceError("not_found");
  return {
    status: 200,
    headers: { "content-type": sniffMediaType(bytes), "x-content-type-options": "nosniff" },
    body: bytes,
  };
}

async function readable({ db }: VoiceDependencies, request: RouteRequest): Promise<VoiceRecord> {
  const found = await findVoice(db, request.parameters["id"] ?? "", request.principal.teamId);
  if (found === null) throw new ServiceError("not_found");
  return found;
}

async function entityOf({ db }: VoiceDependencies, voiceId: string, teamId: string): Promise<ModelEntity> {
  const found = await findVoice(db, voiceId, teamId);
  if (found === null) throw new ServiceError("not_found");
  return toEntity(found);
}
