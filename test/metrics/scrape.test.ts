import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MetricDeclaration, metricCatalogue } from "#common/metrics/catalogue";
import { boundedLabel, type LabelName, metricLabels, OTHER } from "#common/metrics/labels";
import type { Role } from "#protocol/bus/membership";
import { findMetricsPorts, liveKitElsewhere, startCluster, type TestCluster } from "../harness/cluster.js";

describe("a cluster's metrics", () => {
  let cluster: TestCluster;
  let texts: Record<Role, string>;
  let probes: { status: number; body: unknown }[];

  beforeAll(async () => {
    const first = await findMetricsPorts();
    cluster = await startCluster({ agents: 1, settings: { ...liveKitElsewhere, PARLEY_METRICS_PORT: String(first) } });
    const speech = await fetch(`${cluster.baseUrl}/v1/tts`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "One short sentence.", format: "wav" }),
    });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    // What strangers choose: methods, paths, models, keys.
    for (let index = 0; index < 50; index++) {
      const headers = { authorization: `Bearer stranger-${index}`, model: `stranger-${index}` };
      await (await fetch(`${cluster.baseUrl}/v1/stranger-${index}`, { method: `STRANGER${index}`, headers })).text();
      await (await fetch(`${cluster.baseUrl}/v1/tts`, { method: "POST", headers })).text();
    }
    const scrape = async (url: string): Promise<string> => await (await fetch(`${url}/metrics`)).text();
    const at = (offset: number): string => `http://127.0.0.1:${first + offset}`;
    const [edge = "", control = "", scheduler = "", worker = "", agent = ""] = await Promise.all(
      [cluster.baseUrl, at(0), at(1), at(2), at(3)].map(scrape),
    );
    texts = { edge, "control-plane": control, scheduler, worker, agent };
    expect((await fetch(`${at(0)}/other`)).status).toBe(404);
    // Of every role but the edge, which answers at its public port here.
    probes = await Promise.all(
      [0, 1, 2, 3].flatMap((offset) =>
        ["/startup", "/live", "/ready"].map(async (path) => {
          const answer = await fetch(`${at(offset)}${path}`);
          return { status: answer.status, body: await answer.json() };
        }),
      ),
    );
  });
  afterAll(() => cluster.stop());

  it("has beside them what tells whether a process has started, lives and is ready", () => {
    expect(probes).toEqual(Array(12).fill({ status: 200, body: { ok: true, reasons: [] } }));
  });

  it.each([
    "edge",
    "scheduler",
    "worker",
    "control-plane",
    "agent",
  ] as const)("of the %s are those that the catalogue lists for it, and no others", (role) => {
    const declared = Object.entries<MetricDeclaration>(metricCatalogue).filter(([, { roles }]) => roles.includes(role));
    const given = [...texts[role].matchAll(/^# TYPE (parley_\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [
      name,
      type,
    ]);
    expect(given.sort()).toEqual(declared.map(([name, { type }]) => [name, type]).sort());
  });

  it.each([
    "edge",
    "scheduler",
    "worker",
    "control-plane",
    "agent",
  ] as const)("of the %s have no label that a stranger chose", (role) => {
    const labels = [...texts[role].matchAll(/^(parley_\w+)\{(.*)\}/gm)].flatMap(([, name = "", list = ""]) =>
      [...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", value = ""]) => ({ name, label, value })),
    );
    expect(labels.length).toBeGreaterThan(5);
    expect(labels.filter(({ value }) => /stranger/i.test(value))).toEqual([]);
    const declared = (name: string): readonly string[] =>
      Object.entries<MetricDeclaration>(metricCatalogue).find(
        ([known]) => name.replace(/_(bucket|sum|count)$/, "") === known || name === known,
      )?.[1].labels ?? [];
    expect(labels.filter(({ name, label }) => !["role", "le", ...declared(name)].includes(label))).toEqual([]);
    const unbounded = labels.filter(
      ({ label, value }) =>
        label in metricLabels && value !== OTHER && boundedLabel(label as LabelName, value) !== value,
    );
    expect(unbounded).toEqual([]);
  });

  it("count the sentence that was spoken, in every role that had to do with it", () => {
    expect(numberOf(texts.edge, "parley_streams_total", { route: "/v1/tts", outcome: "completed" })).toBe("1");
    expect(numberOf(texts.scheduler, "parley_scheduler_batch_chunks_count", { model: "parley-en" })).toBe("1");
    expect(numberOf(texts.worker, "parley_worker_chunks_total", { model: "parley-en", outcome: "spoken" })).toBe("1");
    expect(
      numberOf(texts["control-plane"], "parley_control_requests_total", { kind: "verify-key", outcome: "ok" }),
    ).toBe("1");
    for (const role of Object.keys(texts) as Role[])
      expect(numberOf(texts[role], "parley_bus_connected", { role })).toBe("1");
  });
});

/** The value of the one series of that name and those labels. */
function numberOf(text: string, name: string, labels: Record<string, string>): string | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split("\n")
    .find((candidate) => candidate.startsWith(`${name}{`) && wanted.every((label) => candidate.includes(label)));
  return line?.split("} ")[1];
}
