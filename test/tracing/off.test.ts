import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { noTracing } from "#common/tracing/span";
import { beginSpeakSpan } from "#speech/speak-span";
import { traceExchanges, traceSockets } from "#edge/tracing/exchange-spans";

const moduleUrl = pathToFileURL(join(import.meta.dirname, "../../common/tracing/open-tracing.js")).href;

/** What a fresh process loads of OpenTelemetry when it opens its tracing. */
function loadedWith(endpoint: string | null): { enabled: boolean; loaded: number } {
  const script = `
    import { createRequire } from "node:module";
    import { openTracing } from ${JSON.stringify(moduleUrl)};
    const log = { warn() {}, info() {} };
    const { enabled } = await openTracing({ endpoint: ${JSON.stringify(endpoint)}, role: "edge", id: "e", log, store: null });
    const loaded = Object.keys(createRequire(${JSON.stringify(moduleUrl)}).cache).filter((path) => path.includes("@opentelemetry"));
    console.log(JSON.stringify({ enabled, loaded: loaded.length }));
    process.exit(0);
  `;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script]).toString()) as {
    enabled: boolean;
    loaded: number;
  };
}

describe("without an endpoint", () => {
  it("OpenTelemetry is not even loaded", () => {
    expect(loadedWith(null)).toEqual({ enabled: false, loaded: 0 });
    expect(loadedWith("http://127.0.0.1:1").loaded).toBeGreaterThan(10);
  });

  it("requests go the way they went, with nothing wrapped around them", () => {
    const observer = { began: () => undefined, ended: () => undefined };
    expect(traceExchanges(observer, noTracing, () => "a team")).toBe(observer);
    const route = { path: "/x", maxFrameBytes: 1, upgrade: () => Promise.reject(new RangeError("never")) };
    expect(traceSockets([route], noTracing, () => "a team")[0]).toBe(route);
    expect(beginSpeakSpan(noTracing, "00-x").traceparent).toBe("00-x");
  });
});
