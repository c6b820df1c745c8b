import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, writeFileDurably } from "#common/files/durable-file";
import { newIdentifier } from "#common/identifier";

const keyRecord = z.object({ apiKey: z.string().min(1), apiSecret: z.string().min(32) });

/** What the roles sign tokens with. */
export type LiveKitKey = z.infer<typeof keyRecord>;

/** The key of the data directory's LiveKit server, made at the first start and kept: tokens outlive a restart. */
export function keyIn(folder: string): LiveKitKey {
  const path = join(folder, "key.json");
  const kept = readKey(path);
  if (kept !== null) return kept;
  const key = { apiKey: `parley-${newIdentifier().slice(0, 12)}`, apiSecret: newIdentifier() + newIdentifier() };
  writeFileDurably(path, `${JSON.stringify(key)}\n`, { mode: PRIVATE_FILE });
  return key;
}

/** Null for what is none, such as half a file: nothing is lost with it but tokens that were signed. */
function readKey(path: string): LiveKitKey | null {
  try {
    return keyRecord.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

/** Ports of a LiveKit server: of its HTTP and WebSocket, of media over TCP and over UDP. */
export interface LiveKitPorts {
  port: number;
  tcpPort: number;
  udpPort: number;
}

/**
 * Configuration of a server that is reached on loopback alone, media included. STUN servers are named because clients
 * are sent to public ones otherwise; nobody answers at this one, and nobody needs to. With a Redis server it has SIP
 * services, and `webhookUrl` is told what happens in its rooms. JSON is YAML.
 */
export function liveKitConfiguration(
  ports: LiveKitPorts,
  key: LiveKitKey,
  { redisUrl, webhookUrl }: { redisUrl?: string | undefined; webhookUrl?: string | undefined } = {},
): string {
  const loopback = process.platform === "darwin" ? "lo0" : "lo";
  return `${JSON.stringify(
    {
      port: ports.port,
      bind_addresses: ["127.0.0.1"],
      rtc: {
        tcp_port: ports.tcpPort,
        udp_port: ports.udpPort,
        use_external_ip: false,
        node_ip: "127.0.0.1",
        enable_loopback_candidate: true,
        interfaces: { includes: [loopback] },
        stun_servers: ["127.0.0.1:3478"],
      },
      ...(redisUrl === undefined ? {} : { redis: redisOf(new URL(redisUrl)) }),
      ...(webhookUrl === undefined ? {} : { webhook: { api_key: key.apiKey, urls: [webhookUrl] } }),
      keys: { [key.apiKey]: key.apiSecret },
      logging: { level: "warn", json: true },
    },
    null,
    2,
  )}\n`;
}

function redisOf({ host, password }: URL): object {
  return { address: host, ...(password === "" ? {} : { password: decodeURIComponent(password) }) };
}
