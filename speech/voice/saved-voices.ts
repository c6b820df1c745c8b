import {
  controlSubjects,
  type Reply,
  type ResolvedVoice,
  type ResolveVoicesReply,
  type ResolveVoicesRequest,
  type VoiceChanged,
  voiceChangedSubject,
} from "#protocol/bus/control";
import { fromErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";

const KEEP_MS = 30_000;
const MAX_CACHED = 10_000;
const REQUEST_TIMEOUT_MS = 3000;

/**
 * Saved voices by team and id, asked of the control plane and kept for a short while. A voice that changed is forgotten
 * at once.
 */
export class SavedVoices {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #cached = new Map<string, { voice: ResolvedVoice; untilMs: number }>();
  /** Counts forgettings: an answer that was under way during one is not kept. */
  #changes = 0;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    bus.subscribe<VoiceChanged>(voiceChangedSubject, ({ voiceId }) =>
      this.#purge((key) => key.endsWith(`\n${voiceId}`)),
    );
    // Changes may have been announced while nobody could hear them.
    bus.onReconnect(() => this.#purge(() => true));
  }

  /**
   * The voices in the order asked; null where the team may not use one or it does not exist. `traceparent` names the
   * span that needs them. Throws `dependency_unavailable` when no control plane answers.
   */
  async resolve(
    teamId: string,
    voiceIds: string[],
    traceparent: string | null = null,
  ): Promise<(ResolvedVoice | null)[]> {
    const missing = [...new Set(voiceIds)].filter((voiceId) => this.#recall(teamId, voiceId) === null);
    const fetched = new Map<string, ResolvedVoice | null>();
    if (missing.length > 0) {
      const changes = this.#changes;
      const question: ResolveVoicesRequest = { teamId, voiceIds: missing, traceparent };
      const reply = await this.#bus.request<Reply<ResolveVoicesReply>>(controlSubjects.resolveVoices, question, {
        timeoutMs: REQUEST_TIMEOUT_MS,
        dependency: "The voice library",
      });
      if (!reply.ok) throw fromErrorRecord(reply.error);
      for (const [index, voiceId] of missing.entries()) {
        const voice = reply.value.voices[index] ?? null;
        fetched.set(voiceId, voice);
        if (voice !== null && changes === this.#changes) this.#keep(teamId, voiceId, voice);
      }
    }
    return voiceIds.map((voiceId) => fetched.get(voiceId) ?? this.#recall(teamId, voiceId));
  }

  #recall(teamId: string, voiceId: string): ResolvedVoice | null {
    const kept = this.#cached.get(`${teamId}\n${voiceId}`);
    return kept !== undefined && kept.untilMs > this.#clock.nowMs() ? kept.voice : null;
  }

  #keep(teamId: string, voiceId: string, voice: ResolvedVoice): void {
    const oldest = this.#cached.keys().next();
    if (this.#cached.size >= MAX_CACHED && oldest.done === false) this.#cached.delete(oldest.value);
    this.#cached.set(`${teamId}\n${voiceId}`, { voice, untilMs: this.#clock.nowMs() + KEEP_MS });
  }

  #purge(matches: (key: string) => boolean): void {
    this.#changes++;
    for (const key of [...this.#cached.keys()]) if (matches(key)) this.#cached.delete(key);
  }
}
