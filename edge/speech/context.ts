import type { EncoderPool } from "#audio/encoding/encoder";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import type { Logger } from "#common/log";
import type { Tracing } from "#common/tracing/span";
import type { Authenticate, WatchKey } from "../authentication/authenticator.js";
import type { OverloadGate } from "../cluster/overload-gate.js";
import type { StreamAdmission } from "../cluster/stream-admission.js";
import type { UnauthenticatedSockets } from "../authentication/unauthenticated-sockets.js";
import type { MemoryBudget } from "../memory/memory-budget.js";
import type { UsageReporter } from "#common/usage/usage-reporter";
import type { SpeechClient } from "#speech/speech-client";
import type { InlineVoices } from "#speech/voice/inline-voices";
import type { SavedVoices } from "#speech/voice/saved-voices";
import type { SpeechMetrics } from "#speech/metrics";
import type { TeamSlots } from "../cluster/team-slots.js";

/** What the speech routes need of the edge. */
export interface SpeechContext {
  /** Throws `unauthenticated`, `invalid_token`, `token_expired`. */
  authenticate: Authenticate;
  watchKey: WatchKey;
  unauthenticatedSockets: UnauthenticatedSockets;
  bus: Bus;
  usage: UsageReporter;
  speech: SpeechClient;
  encoders: EncoderPool;
  savedVoices: SavedVoices;
  inlineVoices: InlineVoices;
  teamSlots: TeamSlots;
  /** Answers that are one object, and lie in memory until they are complete. */
  heldAnswers: MemoryBudget;
  overload: OverloadGate;
  admission: StreamAdmission;
  config: Config;
  clock: Clock;
  log: Logger;
  metrics: SpeechMetrics;
  tracing: Tracing;
}
