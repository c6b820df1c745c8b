import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "#common/config/config";
import { readConsole } from "../../pages/bundled-files.js";
import { serve } from "../../http/testing/test-server.js";
import { consoleRoutes } from "./console-routes.js";

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const script = `console.info(${JSON.stringify("a".repeat(5000))})`;
const html = "<!doctype html><title>Parley</title>";

describe("the console's files", () => {
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  let url = "";

  beforeAll(() => {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), html);
    writeFileSync(join(folder, "manifest.json"), "{}");
    writeFileSync(join(folder, "assets/index-0a1b2c3d.js"), script);
    writeFileSync(join(folder, "assets/index-0a1b2c3d.js.br"), brotliCompressSync(script));
    writeFileSync(join(folder, "assets/index-0a1b2c3d.js.gz"), gzipSync(script));
    writeFileSync(join(folder, "assets/icon-0a1b2c3d.svg"), "<svg/>");
  });
  beforeEach(async () => {
    const others = { rooms: "https://rooms.example.com/rtc", recordings: "https://bucket.store.example.com/x/" };
    ({ url } = await serve(consoleRoutes(readConsole(folder), others)));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      request(`${url}${path}`, { headers }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
        );
      })
        .on("error", reject)
        .end();
    });

  it("are kept for ever by the hash in their name, in the encoding that the client takes", async () => {
    const path = "/console/assets/index-0a1b2c3d.js";
    const plain = await get(path);
    expect([plain.status, plain.body.toString()]).toEqual([200, script]);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
    });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const brotli = await get(path, { "accept-encoding": "gzip, br" });
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.body).toString()).toBe(script);
    const gzip = await get(path, { "accept-encoding": "gzip" });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.body).toString()).toBe(script);
    const icon = await get("/console/assets/icon-0a1b2c3d.svg", { "accept-encoding": "br" });
    expect([icon.headers["content-type"], icon.headers["content-encoding"]]).toEqual(["image/svg+xml", undefined]);
  });

  it("are not sent again to whoever has them", async () => {
    const path = "/console/assets/index-0a1b2c3d.js";
    const etag = String((await get(path)).headers["etag"]);
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, body, headers } = await get(path, { "if-none-match": known });
      expect([known, status, body.byteLength, headers["etag"]]).toEqual([known, 304, 0, etag]);
    }
    expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("have one page for all addresses, which is asked for each time and runs no script of anybody else", async () => {
    for (const path of ["/console", "/console/", "/console/voices/1?a=b"]) {
      const { status, headers, body } = await get(path);
      expect([path, status, body.toString()]).toEqual([path, 200, html]);
      expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
      expect(headers["referrer-policy"]).toBe("no-referrer");
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("connect-src 'self' wss://rooms.example.com https://bucket.store.example.com;");
      expect(policy).toContain("media-src 'self' blob: https://bucket.store.example.com;");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
    }
  });

  it("are only those that were bundled", async () => {
    const unknown = ["nothing.js", "manifest.json", "..%2findex.html", "index-0a1b2c3d.js.br", "a/b"];
    for (const name of unknown) {
      const { status } = await get(`/console/assets/${name}`);
      expect([name, status]).toEqual([name, 404]);
    }
  });

  it("cannot be served where nobody bundled them", () => {
    expect(() => readConsole(join(folder, "elsewhere"))).toThrow(ConfigError);
  });
});
