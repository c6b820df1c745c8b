import { spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { Config } from "#common/config/config";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { answersAsLiveKit } from "#common/livekit/reachability";
import type { RunRecord } from "#launcher/run-file";
import type { Finding } from "./finding.js";

/** The server that holds the rooms, as it is to be tried. */
type Gateway = LiveKitAccess & {
  /** What callers are told. */
  publicUrl: string;
  /** Null where it is not known. */
  tcpPort: number | null;
};

/** What `agents/room/connectivity-check` prints. */
const report = z.union([
  z.object({ problem: z.string() }),
  z.object({
    joinMs: z.number(),
    path: z.object({ protocol: z.string(), address: z.string(), port: z.number() }).nullable(),
  }),
]);

const ANSWER_MS = 3000;
const JOIN_MS = 30_000;

/** LiveKit's own choice of the port for media over TCP. */
const USUAL_TCP_PORT = 7881;

/** The server that is configured, else the running launcher's own; null where there is none. */
export function gatewayOf(config: Config, running: RunRecord | null): Gateway | null {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = config;
  if (url === null || apiKey === null || apiSecret === null) return running?.liveKit ?? null;
  return { url, apiKey, apiSecret, publicUrl: config.LIVEKIT_PUBLIC_URL ?? url, tcpPort: null };
}

/** Tries a LiveKit server as agents and callers use it: signalling, media over UDP, media over TCP, the address told. */
export async function examineLiveKit(gateway: Gateway | null, distDirectory: string): Promise<Finding[]> {
  const subject = "LiveKit";
  if (gateway === null) {
    const detail = "none is configured, and no cluster runs here with its own; agents cannot talk without one";
    return [{ subject, state: "optional", detail, remedy: "npm start, or set LIVEKIT_URL" }];
  }
  const { url } = gateway;
  if (!(await answersAsLiveKit(url, ANSWER_MS))) {
    const detail = `${url} does not answer; agents cannot talk`;
    return [{ subject, state: "missing", detail, remedy: "look at its log; where it is being built, wait for it" }];
  }
  const answering: Finding = { subject, state: "ok", detail: `${url} answers`, remedy: null };
  const found = await joinOnce(gateway, distDirectory);
  if ("problem" in found) {
    const detail = `a room cannot be joined (${found.problem})`;
    const remedy = "check LIVEKIT_API_KEY and LIVEKIT_API_SECRET, and that its media ports are open to this machine";
    return [answering, { subject: "LiveKit media", state: "missing", detail, remedy }];
  }
  const host = found.path?.address ?? new URL(url).hostname;
  return [answering, mediaFinding(found), await tcpFinding(host, gateway.tcpPort), await addressFinding(gateway)];
}

function mediaFinding({
  joinMs,
  path,
}: {
  joinMs: number;
  path: { protocol: string; address: string; port: number } | null;
}): Finding {
  const subject = "LiveKit media";
  if (path === null)
    return { subject, state: "missing", detail: "no way to the server was found", remedy: "open its UDP media port" };
  const way = `${path.protocol.toUpperCase()} to ${path.address}:${path.port}, joined in ${joinMs} ms`;
  if (path.protocol === "udp") return { subject, state: "ok", detail: way, remedy: null };
  const remedy = "open its UDP media port: over TCP a lost packet holds up those after it";
  return { subject, state: "optional", detail: `${way}; UDP does not get through`, remedy };
}

async function tcpFinding(host: string, knownPort: number | null): Promise<Finding> {
  const port = knownPort ?? USUAL_TCP_PORT;
  const where = `${host}:${port}${knownPort === null ? " (LiveKit's usual port)" : ""}`;
  const subject = "LiveKit media over TCP";
  if (await takesConnections(host, port)) return { subject, state: "ok", detail: where, remedy: null };
  const detail = `${where} is closed; callers whose network lets no UDP through cannot talk`;
  return { subject, state: "optional", detail, remedy: "open rtc.tcp_port of its configuration, or set up TURN" };
}

/** What callers are told, as far as this machine can tell for them. */
async function addressFinding({ publicUrl }: Gateway): Promise<Finding> {
  const subject = "LiveKit address for callers";
  const { protocol, hostname } = new URL(publicUrl);
  if (!(await answersAsLiveKit(publicUrl, ANSWER_MS)))
    return { subject, state: "missing", detail: `${publicUrl} does not answer`, remedy: "set LIVEKIT_PUBLIC_URL" };
  const isLocal = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
  if (isLocal) return { subject, state: "ok", detail: `${publicUrl}: callers on this machine only`, remedy: null };
  if (protocol === "wss:" || protocol === "https:") return { subject, state: "ok", detail: publicUrl, remedy: null };
  const detail = `${publicUrl}: pages in browsers need TLS for a microphone`;
  return {
    subject,
    state: "optional",
    detail,
    remedy: "put a proxy with TLS in front, and its wss:// address into LIVEKIT_PUBLIC_URL",
  };
}

function takesConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(ANSWER_MS, () => finish(false));
    socket.on("connect", () => finish(true));
    socket.on("error", () => finish(false));
  });
}

/** In a program of its own: agents alone bring what speaks WebRTC. */
async function joinOnce(gateway: Gateway, distDirectory: string): Promise<z.infer<typeof report>> {
  const program = join(distDirectory, "agents", "room", "connectivity-check.js");
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "ignore"], timeout: JOIN_MS });
  child.on("error", () => undefined);
  // It may have ended before it was told all.
  child.stdin.on("error", () => undefined);
  const { url, apiKey, apiSecret } = gateway;
  child.stdin.end(JSON.stringify({ url, apiKey, apiSecret }));
  const lines = (await text(child.stdout)).trim().split("\n");
  try {
    return report.parse(JSON.parse(lines.at(-1) ?? ""));
  } catch {
    return { problem: `it took longer than ${JOIN_MS / 1000} s` };
  }
}
