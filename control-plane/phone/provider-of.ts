import { ServiceError } from "#protocol/errors";
import type { NumberProviders } from "./context.js";
import { GATEWAY_LABEL } from "./gateway/place-number.js";
import { type NumberProvider, ProviderFailure } from "./providers/provider.js";
import { TWILIO_LABEL } from "./providers/twilio-settings.js";
import type { PhoneRow } from "./tables.js";

/** What has to be set for a provider. */
const settingsOf = {
  twilio: { provider: TWILIO_LABEL, settings: "TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN" },
  sip: { provider: GATEWAY_LABEL, settings: "LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET" },
} as const satisfies Record<keyof NumberProviders, Record<string, string>>;

/** Whom a number comes from. Throws `phone_provider_missing`. */
export function requireProvider<K extends keyof NumberProviders>(
  providers: NumberProviders,
  name: K,
): NonNullable<NumberProviders[K]> {
  const provider = providers[name];
  if (provider === null) throw new ServiceError("phone_provider_missing", { parameters: settingsOf[name] });
  return provider;
}

/** Of a number that is there: older releases called some imported ones `livekit`. */
export const providerNameOf = ({ provider }: Pick<PhoneRow, "provider">): keyof NumberProviders =>
  provider === "twilio" ? "twilio" : "sip";

/** The error that tells a caller of a provider's failure; anything else is given as it is. */
export function toProviderError({ label }: NumberProvider, error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  return new ServiceError("phone_provider_failed", {
    parameters: { provider: label, detail: error.detail },
    cause: error,
  });
}
