import type { OpenedAudio, OpenAudioOptions } from "#audio/decoding/open-audio";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import type { Logger } from "#common/log";
import type { Tracing } from "#common/tracing/span";
import type { Authenticate, WatchKey } from "../authentication/authenticator.js";
import type { OverloadGate } from "../cluster/overload-gate.js";
import type { MemoryBudget } from "../memory/memory-budget.js";
import type { TeamSlots } from "../cluster/team-slots.js";
import type { UsageReporter } from "#common/usage/usage-reporter";
import type { TranscriptionMetrics } from "#transcription/metrics";
import type { SocketAudioBudget } from "./socket-audio-budget.js";

/** What the transcribing routes need of the edge. */
export interface TranscriptionContext {
  /** Throws `unauthenticated`, `invalid_token`, `token_expired`. */
  authenticate: Authenticate;
  watchKey: WatchKey;
  bus: Bus;
  usage: UsageReporter;
  recognition: Pick<RecognitionClient, "open" | "served">;
  openAudio(bytes: Uint8Array, options: OpenAudioOptions): Promise<OpenedAudio>;
  /** The same as those of speech: a team's requests count together. */
  teamSlots: TeamSlots;
  /** Audio files on their way in. */
  uploads: MemoryBudget;
  socketAudio: SocketAudioBudget;
  overload: OverloadGate;
  config: Config;
  clock: Clock;
  log: Logger;
  metrics: TranscriptionMetrics;
  tracing: Tracing;
}
