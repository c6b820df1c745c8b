import type { Cache } from "#common/cache/cache";
import { noCache } from "#common/cache/cache";
import { connectRedis } from "#common/cache/redis";
import { type Config, ConfigError } from "#common/config/config";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import type { Logger } from "#common/log";
import { configuredCalls } from "../calls/configured.js";
import type { CallSettings } from "../calls/context.js";
import { openPhoneLines, type PhoneLines } from "../calls/lines.js";
import type { RecordingSettings } from "../recordings/routes.js";
import type { SessionSettings } from "./context.js";
import { openLiveKit } from "./livekit.js";
import type { RoomServer } from "./rooms.js";

/** What the configuration says of sessions, opened. */
export interface ConfiguredSessions {
  rooms: RoomServer | null;
  sessions: SessionSettings;
  recordings: RecordingSettings;
  cache: Cache;
  calls: CallSettings;
  lines: PhoneLines | null;
}

/** Opens the room server and the shared counts that are configured. Throws ConfigError. */
export function configuredSessions(config: Config, log: Logger): ConfiguredSessions {
  const access = liveKitAccess(config);
  return {
    rooms: access === null ? null : openLiveKit({ ...access, publicUrl: config.LIVEKIT_PUBLIC_URL ?? access.url }),
    lines: access === null ? null : openPhoneLines(access),
    sessions: {
      joinMs: config.PARLEY_JOIN_SECONDS * 1000,
      visitorsPerAgent: config.PARLEY_PUBLIC_SESSIONS_PER_AGENT,
      visitorsPerAddress: config.PARLEY_PUBLIC_SESSIONS_PER_ADDRESS,
    },
    recordings: {
      urlMs: config.PARLEY_RECORDING_URL_SECONDS * 1000,
      publicUrl: config.PARLEY_PUBLIC_URL,
      retentionMs: config.PARLEY_RECORDING_DAYS === 0 ? null : config.PARLEY_RECORDING_DAYS * 24 * 3_600_000,
    },
    cache: config.REDIS_URL === null ? noCache : connectRedis(config.REDIS_URL, log),
    calls: configuredCalls(config),
  };
}

function liveKitAccess(config: Config): LiveKitAccess | null {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = config;
  if (url === null) return null;
  if (apiKey === null || apiSecret === null)
    throw new ConfigError("LIVEKIT_URL needs LIVEKIT_API_KEY and LIVEKIT_API_SECRET");
  return { url, apiKey, apiSecret };
}
