import { describe, expect, it } from "vitest";
import type { Heartbeat, LifecycleState } from "#protocol/bus/membership";
import { Membership } from "#common/membership/membership";
import { describeHealth } from "./health-report.js";
import { type ClusterFacts, reasonsNotReady, untilFirstReady } from "./readiness.js";

const base = (id: string, state: LifecycleState = "ready") => ({ type: "heartbeat" as const, id, epoch: "e", state });
const model = {
  name: "espeak",
  task: "speak" as const,
  languages: ["*"],
  sampleRate: 22_050,
  speakers: ["a", "b"],
  maxBatch: 1,
  provider: "process",
};
const worker = (id: string, state: LifecycleState = "ready", models = [model]): Heartbeat => ({
  ...base(id, state),
  role: "worker",
  schedulerId: "s",
  slots: 1,
  models,
  brokenModels: [],
});
const whole: Heartbeat[] = [
  { ...base("c"), role: "control-plane" },
  { ...base("s"), role: "scheduler", loads: [] },
  worker("w"),
];

function facts(heartbeats: Heartbeat[], changes: Partial<ClusterFacts> = {}): ClusterFacts {
  const members = new Membership();
  for (const heartbeat of heartbeats) members.receive(heartbeat, 0);
  return { members, busConnected: true, draining: false, defaultModels: ["parley-en", "espeak"], ...changes };
}

describe("reasonsNotReady", () => {
  it.each<[string, ClusterFacts, string[]]>([
    ["a whole cluster", facts(whole), []],
    ["a draining edge", facts(whole, { draining: true }), ["This edge is shutting down"]],
    ["a lost bus", facts(whole, { busConnected: false }), ["No connection to NATS"]],
    ["no control plane", facts(whole.slice(1)), ["No control plane is ready"]],
    [
      "only a starting scheduler",
      facts([whole[0]!, { ...base("s", "initialized"), role: "scheduler", loads: [] }, whole[2]!]),
      ["No scheduler is ready"],
    ],
    [
      "a draining worker",
      facts([whole[0]!, whole[1]!, worker("w", "draining")]),
      ["No worker is ready with the model parley-en or espeak"],
    ],
    [
      "another model only",
      facts([whole[0]!, whole[1]!, worker("w", "ready", [{ ...model, name: "x" }])]),
      ["No worker is ready with the model parley-en or espeak"],
    ],
  ])("of %s", (_name, given, reasons) => {
    expect(reasonsNotReady(given)).toEqual(reasons);
  });
});

describe("untilFirstReady", () => {
  it("waits for a whole cluster once, and then counts what is the edge's own", () => {
    let now = facts([]);
    const reasons = untilFirstReady(() => now);
    expect(reasons()).toContain("No scheduler is ready");
    now = facts(whole);
    expect(reasons()).toEqual([]);
    now = facts([]);
    expect(reasons()).toEqual([]);
    now = facts([], { busConnected: false });
    expect(reasons()).toEqual(["No connection to NATS"]);
    now = facts(whole, { draining: true });
    expect(reasons()).toEqual(["This edge is shutting down"]);
  });
});

describe("describeHealth", () => {
  it("counts each model once, with its workers", () => {
    const report = describeHealth({
      ...facts([...whole, worker("w2")]),
      id: "edge",
      uptimeSeconds: 1.4,
      gateway: "unreachable",
    });
    expect([report.status, report.gateway]).toEqual(["ok", "unreachable"]);
    expect(report.models).toEqual([
      {
        name: "espeak",
        task: "speak",
        languages: ["*"],
        sample_rate: 22_050,
        speakers: 2,
        providers: ["process"],
        workers: 2,
        clones_voices: false,
      },
    ]);
  });

  it("is degraded by a model that a worker could not load", () => {
    const broken: Heartbeat = {
      ...base("w"),
      role: "worker",
      schedulerId: "s",
      slots: 1,
      models: [model],
      brokenModels: [{ name: "x", reason: "no file" }],
    };
    const report = describeHealth({
      ...facts([...whole.slice(0, 2), broken]),
      id: "edge",
      uptimeSeconds: 1,
      gateway: "none",
    });
    expect([report.status, report.problems]).toEqual(["degraded", ["Worker w could not load x: no file"]]);
  });
});
