import { MEMBER_TIMEOUT_MS } from "#protocol/bus/membership";
import type { Lane } from "./queue/lane.js";

/** Every number that shapes the scheduler's decisions, in one place. */
export interface SchedulingPolicy {
  /** New streams are refused while this many chunks wait. */
  queueChunks: number;
  /** Nothing at all is taken past this: the bound on memory. */
  hardQueueChunks: number;
  /** A new stream whose first chunk is predicted to finish later than this is refused. */
  admissionWaitMs: number;
  /**
   * Part of `admissionWaitMs` and of `queueChunks` from which new free and bulk streams are refused, so that live ones
   * still get in.
   */
  brownoutFraction: number;
  /** New streams are refused while the most urgent running stream is this late. */
  runningLateMs: number;
  /** Audio that players are to have in hand where workers are busy: a new stream that would take it from them is refused. */
  reserveMs: number;
  /** The same for a stream of a team with less than its share, while several ask: others' players have to do with it. */
  shareReserveMs: number;
  /** Part of the workers that a team with more than its share leaves to others that ask. */
  othersShare: number;
  /** A chunk that need not start within this time yields to everyone. */
  yieldSlackMs: number;
  /** A next chunk of a live stream that must start within this time may take a slot reserved for what cannot wait. */
  pressingSlackMs: number;
  /** For so long live speech on a slot for all work is not put off by such on the reserved slots that is due later. */
  liveFirstMs: number;
  /** Guaranteed part of the engine time of a contended pool. What the floors leave goes by strict order. */
  floors: Partial<Record<Lane, number>>;
  /** The floors of free and bulk grow with the wait of the lane's head: doubled after this long, and no further. */
  agingMs: number;
  /** Longest time that free capacity waits for company; 0 is work-conserving. */
  maxWaitUs: number;
  /** Longest predicted time of a batch of audio on slots that also speak. */
  audioSliceMs: number;
  /** A batch is overdue after this many times its predicted p95… */
  overdueFactor: number;
  /** …but never before this. */
  overdueFloorMs: number;
  /** How long chunks wait for a worker of a model that nobody serves any more. */
  orphanGraceMs: number;
}

/** The policy that a configuration stands for. */
export function schedulingPolicy(config: {
  PARLEY_QUEUE_CHUNKS: number;
  PARLEY_ADMISSION_WAIT_MS: number;
}): SchedulingPolicy {
  return {
    queueChunks: config.PARLEY_QUEUE_CHUNKS,
    hardQueueChunks: config.PARLEY_QUEUE_CHUNKS * 4,
    admissionWaitMs: config.PARLEY_ADMISSION_WAIT_MS,
    brownoutFraction: 0.5,
    // Lateness of those who listen already is worse than the wait of those who come: a sixth of it closes the door (500
    // ms by default).
    runningLateMs: config.PARLEY_ADMISSION_WAIT_MS / 6,
    reserveMs: 1000,
    shareReserveMs: 300,
    othersShare: 0.1,
    yieldSlackMs: 1000,
    pressingSlackMs: 250,
    liveFirstMs: 250,
    floors: { urgent: 0.5, free: 0.1, bulk: 0.1 },
    agingMs: 10_000,
    maxWaitUs: 0,
    audioSliceMs: 250,
    overdueFactor: 10,
    overdueFloorMs: 5000,
    orphanGraceMs: 2 * MEMBER_TIMEOUT_MS,
  };
}
