/** Who is alive: every role says so on one subject, and everyone who cares listens. */

export const membersSubject = "parley.members";

/** Heartbeats come this often. */
export const HEARTBEAT_INTERVAL_MS = 250;

/** A member unheard of for this long is gone: its work is given to others. */
export const MEMBER_TIMEOUT_MS = 1500;

export const roles = ["edge", "scheduler", "worker", "control-plane", "agent"] as const;
export type Role = (typeof roles)[number];

/** Whether members of a role submit work of their own, which is cancelled everywhere when they are lost. */
export function ownsWork(role: Role): boolean {
  return role === "edge" || role === "control-plane" || role === "agent";
}

/** The life of every process, in order. */
export const lifecycleStates = ["initialized", "ready", "draining", "stopped"] as const;
export type LifecycleState = (typeof lifecycleStates)[number];

interface HeartbeatBase {
  type: "heartbeat";
  id: string;
  /** Random per process start: a changed epoch under the same id means that all earlier work there is lost. */
  epoch: string;
  state: LifecycleState;
}

/** What one scheduler can take now for one model: edges choose the scheduler of a new stream by it. */
export interface SchedulerLoad {
  model: string;
  /** Slots of the workers attached to this scheduler. */
  slots: number;
  freeSlots: number;
  queuedChunks: number;
  /** Predicted wait of a first chunk submitted now. */
  predictedWaitMs: number;
  /** Room for further live streams; absent for what does not speak. */
  room?: StreamRoom;
}

/**
 * How many more live streams, of the kind that is asked for, a scheduler would take if they came one right after the
 * other: by it edges refuse the rest of a burst without asking. The scheduler has the last word.
 */
export interface StreamRoom {
  /** As many as workers speak besides those that they have, as fast as all are played. */
  streams: number;
  /** As many as begin at once. */
  atOnce: number;
  /** Predicted time to the first audio of the next one after those, and what each further one adds, milliseconds. */
  firstAudioMs: number;
  addedMs: number;
  /** Longest predicted time to its first audio for which a stream is taken, where that has no shorter limit itself. */
  mostWaitMs: number;
}

export interface ServedModel {
  name: string;
  task: "speak" | "transcribe" | "vad";
  /** BCP-47 primary subtags, or `*`. */
  languages: string[];
  sampleRate: number;
  speakers: string[];
  /** Most chunks one engine call takes. */
  maxBatch: number;
  /** What runs it: `cpu`, `cuda`, `process`… */
  provider: string;
  /** Gives its audio at the rate that a chunk asks for (`SpeechChunk.sampleRate`); at its own when absent. */
  convertsRate?: boolean;
  /** Speaks in the voice of a recording that a chunk names; it does not when absent. */
  clonesVoices?: boolean;
}

/** Models that a worker could not load, with the reason, for `/health`. */
export interface BrokenModel {
  name: string;
  reason: string;
}

export type Heartbeat =
  | (HeartbeatBase & { role: "edge" })
  | (HeartbeatBase & { role: "control-plane" })
  | (HeartbeatBase & {
      role: "agent";
      /** Conversations that it can hold at once. */
      places: number;
      /** Those that it holds, by session id. */
      sessions: string[];
    })
  | (HeartbeatBase & { role: "scheduler"; loads: SchedulerLoad[] })
  | (HeartbeatBase & {
      role: "worker";
      /** The scheduler that may spend this worker's credits; null while none is known. */
      schedulerId: string | null;
      /** Engine calls that run at once. */
      slots: number;
      /** Further ones that only speech that somebody waits for now may use; none when absent. */
      reservedSlots?: number;
      models: ServedModel[];
      brokenModels: BrokenModel[];
    });
