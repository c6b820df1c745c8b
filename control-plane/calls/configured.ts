import type { Config } from "#common/config/config";
import type { CallSettings } from "./context.js";

/** What the configuration says of phone calls. */
export function configuredCalls(config: Config): CallSettings {
  return {
    dialsOut: config.PARLEY_OUTBOUND_CALLS === "on",
    allow: config.PARLEY_CALL_ALLOW,
    deny: config.PARLEY_CALL_DENY,
    ringMs: config.PARLEY_CALL_RING_SECONDS * 1000,
  };
}
