import type { Bus } from "#common/bus/bus";
import type { LiveKitSip } from "#common/livekit/livekit-sip";
import type { Logger } from "#common/log";
import type { Outbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import type { Db } from "../database/database.js";
import type { NumberInventory, NumberProvider } from "./providers/provider.js";
import type { TwilioSettings } from "./providers/twilio-settings.js";

/** Whom numbers come from; null for one that is not configured. */
export interface NumberProviders {
  twilio: (NumberProvider & NumberInventory) | null;
  sip: NumberProvider | null;
}

/** What the parts of this folder work with. */
export interface PhoneContext {
  db: Db;
  bus: Pick<Bus, "publish">;
  log: Logger;
  sealer: Sealer;
  /** Judges the addresses that teams name. */
  outbound: Pick<Outbound, "checkUrl">;
  providers: NumberProviders;
  /** Null where no LiveKit server is configured. */
  sip: LiveKitSip | null;
  /** Null where Twilio is not configured. */
  twilio: TwilioSettings | null;
  /** Wall-clock time. */
  now: () => Date;
}
