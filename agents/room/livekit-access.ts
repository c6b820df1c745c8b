import { type Config, ConfigError } from "#common/config/config";
import type { LiveKitAccess } from "#common/livekit/livekit-server";

/** How to reach LiveKit, where all conversations are held. Throws `ConfigError` where that is not configured. */
export function liveKitAccess(config: Config): LiveKitAccess {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = config;
  if (url === null || apiKey === null || apiSecret === null)
    throw new ConfigError("LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET are needed by the agents");
  return { url, apiKey, apiSecret };
}
