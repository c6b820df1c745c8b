import { expect, it } from "vitest";
import { createMetrics } from "./registry.js";

it("prints what was counted, read and observed, in Prometheus's format", async () => {
  const metrics = createMetrics("edge");
  const count = metrics.counter("parley_things_total", "Things.", ["kind"]);
  count({ kind: "a" });
  count({ kind: "a" }, 2);
  let members = [{ labels: { state: "ready" }, value: 2 }];
  metrics.gauge("parley_now", "Now.", () => 7);
  metrics.gauges("parley_members", "Members.", ["state"], () => members);
  const observe = metrics.histogram("parley_wait_seconds", "Waits.", [0.1, 1], ["route"]);
  observe({ route: "/x" }, 0.5);
  const text = await metrics.text();
  expect(text).toContain('parley_things_total{kind="a",role="edge"} 3');
  expect(text).toContain('parley_now{role="edge"} 7');
  expect(text).toContain('parley_members{state="ready",role="edge"} 2');
  expect(text).toContain('parley_wait_seconds_bucket{le="1",role="edge",route="/x"} 1');
  expect(text).toContain("process_resident_memory_bytes");
  members = [];
  expect(await metrics.text()).not.toContain('parley_members{');
});

it("keeps two registries apart", async () => {
  createMetrics("a").counter("parley_x_total", "X.")({});
  createMetrics("b").counter("parley_x_total", "X.")({}, 5);
  expect(await createMetrics("c").text()).not.toContain("parley_x_total");
});
