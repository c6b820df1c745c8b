import type { ServedModel } from "#protocol/bus/membership";
import {
  type Batch,
  type BatchDone,
  type ChunkOutcome,
  type FollowingText,
  type ServiceTier,
  type Submit,
  type WorkChunk,
  workSize,
} from "#protocol/bus/scheduling";
import { RECOGNITION_RATE, type RecognitionTask } from "#protocol/transcription/chunk";
import { defaultSampling, neutralDelivery } from "#protocol/speech/chunk";
import { type SchedulingPolicy, schedulingPolicy } from "../policy.js";
import type { WorkerHeartbeat } from "../workers/worker-registry.js";

/** Speech at an ordinary pace, at the rate of `served`. */
const SAMPLES_PER_CHARACTER = 24 * 65;

/** What a test says about a chunk; the rest is ordinary. */
export interface ChunkFacts {
  stream: string;
  index?: number;
  attempt?: number;
  edge?: string;
  model?: string;
  /** Characters, or hundredths of a second of audio. */
  size?: number;
  /** `speak` unless said otherwise. */
  task?: RecognitionTask;
}

export function chunk({
  stream,
  index = 0,
  attempt = 1,
  edge = "edge-1",
  model = "voice",
  size = 60,
  task,
}: ChunkFacts): WorkChunk {
  if (task !== undefined) {
    const samples = (size * RECOGNITION_RATE) / 100;
    return {
      task,
      streamId: stream,
      chunkIndex: index,
      attempt,
      ownerId: edge,
      model,
      samples,
      language: null,
      traceparent: null,
    };
  }
  return {
    task: "speak",
    streamId: stream,
    chunkIndex: index,
    attempt,
    ownerId: edge,
    model,
    text: "x".repeat(size),
    normalize: true,
    voice: { speaker: null, language: null, speed: 1, traits: null },
    delivery: neutralDelivery,
    sampling: defaultSampling,
    pauseAfterMs: 0,
    seed: 1,
    maxSamples: 0,
    traceparent: null,
  };
}

const whole: FollowingText = { size: 0, isAll: true };

/** A submission of a chunk that is the last of its stream, unless said otherwise. */
export function submit(
  facts: ChunkFacts &
    Pick<Submit, "mostWaitMs" | "following" | "teamId"> & {
      tier?: ServiceTier;
      slackMs?: number;
      isAdmitted?: boolean;
    },
): Submit {
  const { tier = "live", slackMs = 200, isAdmitted = false, mostWaitMs, following = whole, teamId } = facts;
  const ownLimit = mostWaitMs === undefined ? {} : { mostWaitMs };
  const ofTeam = teamId === undefined ? {} : { teamId };
  return { type: "submit", chunk: chunk(facts), tier, slackMs, isAdmitted, following, ...ownLimit, ...ofTeam };
}

/** A recognizer. */
export function recognizer(name: string, maxBatch = 1): ServedModel {
  return { ...served(name, maxBatch), task: "transcribe", sampleRate: RECOGNITION_RATE };
}

export function served(name: string, maxBatch = 1, provider = "cpu"): ServedModel {
  return { name, task: "speak", languages: ["*"], sampleRate: 24_000, speakers: [], maxBatch, provider };
}

export function workerHeartbeat(
  facts: Partial<Omit<WorkerHeartbeat, "type" | "role">> & { id: string },
): WorkerHeartbeat {
  return {
    type: "heartbeat",
    role: "worker",
    epoch: "epoch-1",
    state: "ready",
    schedulerId: "scheduler-1",
    slots: 1,
    models: [served("voice")],
    brokenModels: [],
    ...facts,
  };
}

/** The message of a worker that has finished a batch. */
export function done(
  workerId: string,
  batch: Batch,
  result: ChunkOutcome["result"] = "spoken",
  epoch = "epoch-1",
): BatchDone {
  return {
    type: "done",
    workerId,
    epoch,
    batchId: batch.batchId,
    model: batch.model,
    outcomes: batch.chunks.map(({ chunk: work }) => ({
      streamId: work.streamId,
      chunkIndex: work.chunkIndex,
      attempt: work.attempt,
      result,
      size: workSize(work),
      engineUs: 1000,
      samples: workSize(work) * SAMPLES_PER_CHARACTER,
    })),
  };
}

export function policyWith(changes: Partial<SchedulingPolicy> = {}): SchedulingPolicy {
  return { ...schedulingPolicy({ PARLEY_QUEUE_CHUNKS: 1000, PARLEY_ADMISSION_WAIT_MS: 100_000 }), ...changes };
}
