import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "#common/config/config";
import { serve } from "../../http/testing/test-server.js";
import { readWidget } from "../../pages/bundled-files.js";
import { widgetRoutes } from "./widget-routes.js";

describe("the widget's files", () => {
  const folder = mkdtempSync(join(tmpdir(), "widget-"));
  const headers = { origin: "https://shop.example" };
  let url = "";

  beforeAll(() => {
    mkdirSync(join(folder, "widget"));
    writeFileSync(join(folder, "widget.js"), "widget()");
    writeFileSync(join(folder, "widget/livekit-0a1b2c3d.js"), "export {}");
  });
  beforeEach(async () => {
    ({ url } = await serve(widgetRoutes(readWidget(folder))));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are there for pages of every origin, isolated ones too", async () => {
    for (const path of ["/widget.js", "/widget/livekit-0a1b2c3d.js"]) {
      const answer = await fetch(`${url}${path}`, { headers });
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/javascript; charset=utf-8",
      ]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("are asked for each time by the name that pages have, and kept for ever by their hash", async () => {
    const named = await fetch(`${url}/widget.js`);
    expect(named.headers.get("cache-control")).toBe("no-cache");
    const etag = named.headers.get("etag") ?? "";
    const again = await fetch(`${url}/widget.js`, { headers: { ...headers, "if-none-match": etag } });
    expect([again.status, again.headers.get("access-control-allow-origin")]).toEqual([304, "*"]);
    const hashed = await fetch(`${url}/widget/livekit-0a1b2c3d.js`);
    expect(hashed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await fetch(`${url}/widget/livekit-ffffffff.js`, { headers })).status).toBe(404);
  });

  it("cannot be served where nobody bundled them", () => {
    expect(() => readWidget(join(folder, "elsewhere"))).toThrow(ConfigError);
  });
});
