import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

/** What is asked, over and over. */
export interface Target {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
}

/** As autocannon reports it; latencies are whole milliseconds. */
const reportShape = z.object({
  "2xx": z.number(),
  non2xx: z.number(),
  errors: z.number(),
  timeouts: z.number(),
  duration: z.number(),
  latency: z.object({ p50: z.number(), p97_5: z.number(), p99: z.number(), max: z.number() }),
});

export type LoadReport = z.infer<typeof reportShape>;

/**
 * Runs autocannon against a route. With `perSecond` requests are sent at that rate whatever comes back, and latencies
 * are corrected for coordinated omission; with null each connection asks again as soon as it is answered.
 */
export async function load(
  folder: string,
  target: Target,
  { connections, seconds, perSecond }: { connections: number; seconds: number; perSecond: number | null },
): Promise<LoadReport> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(folder, "node_modules/autocannon/autocannon.js"),
      ...["--json", "--connections", String(connections), "--duration", String(seconds), "--method", target.method],
      ...(perSecond === null ? [] : ["--overallRate", String(Math.max(connections, Math.round(perSecond)))]),
      ...Object.entries(target.headers).flatMap(([name, value]) => ["--headers", `${name}=${value}`]),
      ...(target.body === undefined ? [] : ["--body", target.body]),
      target.url,
    ],
    { maxBuffer: 8 * 1024 * 1024 },
  );
  return reportShape.parse(JSON.parse(stdout));
}
