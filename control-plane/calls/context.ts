import type { Outbound } from "#common/outbound/outbound";
import type { PhoneContext } from "../phone/context.js";
import type { SessionContext } from "../sessions/context.js";
import type { DestinationRules } from "./destination.js";

/** What the operator sets. */
export interface CallSettings extends DestinationRules {
  /** Whether teams may have numbers called. */
  dialsOut: boolean;
  /** How long a call rings before it counts as not answered. */
  ringMs: number;
}

/** What the settings say where nobody sets them. */
export const defaultCallSettings: CallSettings = { dialsOut: true, allow: [], deny: [], ringMs: 30_000 };

/** What the parts of this folder work with. */
export interface CallContext {
  sessions: SessionContext;
  phones: PhoneContext;
  settings: CallSettings;
  /** The way out for requests whose address a team chose. */
  outbound: Pick<Outbound, "request">;
}
