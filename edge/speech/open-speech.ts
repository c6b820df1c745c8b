import { availableParallelism } from "node:os";
import { createEncoderPool } from "#audio/encoding/pool";
import { measureVoiceSample } from "#audio/voice/measure-sample";
import { combineTraits } from "#audio/voice/traits";
import type { Metrics } from "#common/metrics/registry";
import { UnauthenticatedSockets } from "../authentication/unauthenticated-sockets.js";
import { RoomBook } from "../cluster/room-book.js";
import { StreamAdmission } from "../cluster/stream-admission.js";
import { TurnBudget } from "../http/turn-budget.js";
import { createSpeechMetrics } from "../metrics/speech-metrics.js";
import { MemoryBudget, type MemoryLimits } from "../memory/memory-budget.js";
import type { SpeechContext } from "./context.js";
import { InlineVoices } from "#speech/voice/inline-voices";
import { SavedVoices } from "#speech/voice/saved-voices";
import { SpeechClient } from "#speech/speech-client";
import type { SubmissionClient } from "#submission/submission-client";

const MB = 1024 * 1024;

/**
 * A team that is alone has half of the memory, in which its largest answer has room beside others; beside it another
 * still has room for short ones.
 */
const heldAnswerMemory: MemoryLimits = {
  totalBytes: 96 * MB,
  growingBytes: 128 * MB,
  waitingBytes: 128 * MB,
  copies: 1,
  maxWaitMs: 20_000,
};

/** Streams that begin in one turn of the event loop: each takes about a millisecond, which refusals do not wait for. */
const OPENINGS_PER_TURN = 2;

export type OpenSpeechOptions = Omit<
  SpeechContext,
  | "admission"
  | "speech"
  | "encoders"
  | "heldAnswers"
  | "unauthenticatedSockets"
  | "savedVoices"
  | "inlineVoices"
  | "metrics"
> & { submissions: SubmissionClient; metrics: Metrics };

/** Opens what the speaking routes need, with real encoders. Close it before the bus. */
export function openSpeech({ submissions, metrics, ...given }: OpenSpeechOptions): {
  context: SpeechContext;
  close(): Promise<void>;
} {
  // One core is left to the event loop.
  const encoders = createEncoderPool({ threads: Math.min(4, availableParallelism()) });
  const speech = new SpeechClient(submissions);
  const openings = new TurnBudget(() => performance.now(), setImmediate, OPENINGS_PER_TURN);
  const admission = new StreamAdmission({
    gate: given.overload,
    rooms: new RoomBook(() => submissions.cluster.members.ofRole("scheduler")),
    inTurn: (task) => openings.run(task),
  });
  return {
    context: {
      ...given,
      admission,
      speech,
      encoders,
      heldAnswers: new MemoryBudget(heldAnswerMemory, given.clock),
      unauthenticatedSockets: new UnauthenticatedSockets(),
      savedVoices: new SavedVoices(given.bus, given.clock),
      inlineVoices: new InlineVoices(measureVoiceSample, combineTraits),
      metrics: createSpeechMetrics(metrics),
    },
    close() {
      speech.close();
      return encoders.close();
    },
  };
}
