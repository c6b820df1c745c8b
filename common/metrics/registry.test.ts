import { expect, it } from "vitest";
import { createMetrics } from "./registry.js";

it("prints what was counted, read and observed, in Prometheus's format", async () => {
  const metrics = createMetrics("edge");
  const count = metrics.counter("parley_key_verdicts_total");
  count({ source: "redis" });
  count({ source: "redis" }, 2);
  let members = [{ labels: { member_role: "edge", state: "ready" }, value: 2 }];
  metrics.gauge("parley_websockets_open", () => 7);
  metrics.gauges("parley_members", () => members);
  const observe = metrics.histogram("parley_http_request_seconds");
  observe({ route: "/x" }, 0.7);
  const text = await metrics.text();
  expect(text).toContain('parley_key_verdicts_total{source="redis",role="edge"} 3');
  expect(text).toContain('parley_websockets_open{role="edge"} 7');
  expect(text).toContain('parley_members{member_role="edge",state="ready",role="edge"} 2');
  expect(text).toContain('parley_http_request_seconds_bucket{le="1",role="edge",route="/x"} 1');
  expect(text).toContain("process_resident_memory_bytes");
  members = [];
  expect(await metrics.text()).not.toContain("parley_members{");
});

it("keeps two registries apart", async () => {
  createMetrics("a").counter("parley_streams_total")({ route: "r", outcome: "completed" });
  createMetrics("b").counter("parley_streams_total")({ route: "r", outcome: "completed" }, 5);
  expect(await createMetrics("c").text()).not.toContain("parley_streams_total");
});

it.each([
  ["parley_test_runs_total", ["passed", "failed", "error", "lost"]],
  ["parley_analyses_total", ["completed", "skipped", "error", "lost"]],
  ["parley_recording_segments_total", ["stored", "lost"]],
] as const)("tells the outcomes of %s apart", async (name, outcomes) => {
  const metrics = createMetrics("agent");
  const count = metrics.counter(name);
  for (const outcome of outcomes) count({ outcome });
  const text = await metrics.text();
  for (const outcome of outcomes) expect(text).toContain(`${name}{outcome="${outcome}",role="agent"} 1`);
});
