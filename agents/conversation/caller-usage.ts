import type { UsageRecord } from "#protocol/bus/control";
import { transcriptionModel } from "#protocol/transcription/request";
import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { ReportEnd, UsageReporter } from "#common/usage/usage-reporter";
import type { ActivityEvent } from "../turn/activity.js";

export interface CallerUsageOptions {
  usage: Pick<UsageReporter, "begin">;
  clock: Clock;
  /** Who is charged, and the agent that is talked to. */
  payer: { teamId: string; keyId: string; agentId: string };
  traceId: string;
}

/** Counts how long a caller speaks: as much audio is recognized, and charged as any transcription is. */
export class CallerUsage {
  readonly #options: CallerUsageOptions;
  readonly #usageId = newIdentifier();
  readonly #begunAtMs: number;
  readonly #reportEnd: ReportEnd;
  #startedAtMs: number | null = null;
  #spokenMs = 0;
  #isOver = false;

  constructor(options: CallerUsageOptions) {
    this.#options = options;
    this.#begunAtMs = options.clock.nowMs();
    this.#reportEnd = options.usage.begin(() => this.#record("partial"));
  }

  activity(event: ActivityEvent): void {
    if (event.type === "speech-started") this.#startedAtMs ??= event.atMs;
    else this.#stopAt(event.lastVoicedMs);
  }

  /** Reports once; what comes later does not count. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopAt(this.#options.clock.nowMs());
    this.#reportEnd(this.#record("completed"));
  }

  #stopAt(atMs: number): void {
    if (this.#startedAtMs !== null) this.#spokenMs += Math.max(0, atMs - this.#startedAtMs);
    this.#startedAtMs = null;
  }

  /** Null for a caller who has said nothing. */
  #record(outcome: UsageRecord["outcome"]): UsageRecord | null {
    const { payer, traceId, clock } = this.#options;
    if (this.#spokenMs === 0) return null;
    return {
      usageId: this.#usageId,
      ...payer,
      route: "/v1/agent/sessions",
      model: transcriptionModel,
      characters: 0,
      audioMs: Math.round(this.#spokenMs),
      firstAudioMs: null,
      totalMs: clock.nowMs() - this.#begunAtMs,
      outcome,
      traceId,
      finishedAtMs: Date.now(),
    };
  }
}
