import type { Config } from "#common/config/config";
import { type LiveKitSip, openLiveKitSip } from "#common/livekit/livekit-sip";
import type { PhoneContext } from "./context.js";
import { sipProvider } from "./providers/sip.js";
import { twilioProvider } from "./providers/twilio.js";
import type { TwilioSettings } from "./providers/twilio-settings.js";

/** Who is behind phone numbers. */
export interface PhoneServers {
  /** Null where no LiveKit server is configured. */
  sip: LiveKitSip | null;
  /** Null where Twilio is not configured. */
  twilio: TwilioSettings | null;
}

/** Nobody. */
export const noPhoneServers: PhoneServers = { sip: null, twilio: null };

/** What the configuration says of phone numbers. Nothing is asked of anybody before the first number. */
export function configuredPhones(config: Config): PhoneServers {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = config;
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = config;
  const twilio = {
    baseUrl: config.TWILIO_BASE_URL ?? "https://api.twilio.com",
    trunkSid: config.TWILIO_TRUNK_SID,
    signalingAddresses: config.TWILIO_SIGNALING_ADDRESSES,
    terminationUri: config.TWILIO_TERMINATION_URI ?? "",
    terminationUsername: config.TWILIO_TERMINATION_USERNAME ?? "",
    terminationPassword: config.TWILIO_TERMINATION_PASSWORD ?? "",
  };
  return {
    sip: url === null || apiKey === null || apiSecret === null ? null : openLiveKitSip({ url, apiKey, apiSecret }),
    twilio: accountSid === null || authToken === null ? null : { accountSid, authToken, ...twilio },
  };
}

/** Puts the providers of numbers on these servers. */
export function openPhones(
  options: Omit<PhoneContext, "providers" | "sip" | "twilio">,
  { sip, twilio }: PhoneServers,
): PhoneContext {
  const gateway = { ...options, twilio };
  const providers = {
    twilio: twilio === null ? null : twilioProvider(twilio),
    sip: sip === null ? null : sipProvider(gateway, sip),
  };
  return { ...gateway, providers, sip };
}
