import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { signWebhook } from "#common/webhooks/signature";
import { runCommandLine } from "../../cli/main.js";
import { someSession, threeEvents } from "./sessions.js";

const SECRET = "shared";
const session = someSession();
const body = JSON.stringify(threeEvents(session)[1]);

/** Runs `parley webhooks listen`, posts to it once it listens, and gives what it printed. */
async function listen(
  args: string[],
  posts: { body: string; signature?: string; method?: string }[],
): Promise<{ code: number; out: string; err: string; statuses: number[] }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let [out, err] = ["", ""];
  stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const address = new Promise<string>((resolve) => {
    stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString();
      const found = /Listening on (\S+)/.exec(err)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const running = runCommandLine(["webhooks", "listen", ...args], {
    ...{ environment: {}, stdout, stderr, distDirectory: join(import.meta.dirname, "../..") },
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
  });
  const statuses: number[] = [];
  if (posts.length > 0) {
    const url = await address;
    for (const { body: sent, signature, method = "POST" } of posts) {
      const headers: Record<string, string> = signature === undefined ? {} : { "x-fish-webhook-signature": signature };
      statuses.push((await fetch(url, { method, headers, ...(method === "GET" ? {} : { body: sent }) })).status);
    }
  }
  return { code: await running, out, err, statuses };
}

const now = (): number => Math.floor(Date.now() / 1000);

describe("parley webhooks listen", () => {
  it("prints each delivery with what its signature is worth", async () => {
    const signature = signWebhook(SECRET, now(), Buffer.from(body));
    const stale = signWebhook(SECRET, now() - 400, Buffer.from(body));
    const posts = [
      { body, signature },
      { body: `${body} `, signature },
      { body, signature: stale },
      { body },
      { body: "hello" },
    ];
    const { code, out, err, statuses } = await listen(["--port", "0", "--secret", SECRET, "--count", "5"], posts);
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => line.split("  ").at(-1))).toEqual(
      ["valid", "invalid", "stale", "missing", "missing"].map((verdict) => `signature ${verdict}`),
    );
    expect(lines[0]).toContain(`call.ended  session ${session.id}`);
    expect(lines[4]).toContain("something else on /");
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(err).toMatch(/PARLEY_OUTBOUND_ALLOW=127\.0\.0\.1:\d+/);
    expect(code).toBe(1);
  });

  it("ends with 0 when all is well, as JSON where that is asked for", async () => {
    const { code, out } = await listen(["--port", "0", "--count", "1", "--json"], [{ body }]);
    expect(JSON.parse(out)).toEqual({ path: "/", body, event: "call.ended", sessionId: session.id, signature: null });
    expect(code).toBe(0);
  });

  it("answers as it is told, and takes nothing but POST", async () => {
    const posts = [{ body: "", method: "GET" }, { body }];
    expect((await listen(["--port", "0", "--count", "1", "--answer", "503"], posts)).statuses).toEqual([405, 503]);
  });

  it.each([
    ["--port", "http"],
    ["--port", "70000"],
    ["--answer", "1"],
    ["--count", "0"],
    ["now"],
  ])("refuses %s %s", async (...args) => {
    expect((await listen(args, [])).code).toBe(2);
  });
});
