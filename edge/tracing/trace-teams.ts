import type { TraceContext } from "#common/tracing/traceparent";

/** Whose requests are, from the moment in which their key is verified until their span is recorded. */
export class TraceTeams {
  /** Nothing is kept of a request that is gone. */
  readonly #teams = new WeakMap<TraceContext, string>();

  readonly note = (trace: TraceContext, teamId: string): void => {
    this.#teams.set(trace, teamId);
  };

  /** Undefined where nobody's key or session was verified. */
  readonly teamOf = (trace: TraceContext): string | undefined => this.#teams.get(trace);
}
