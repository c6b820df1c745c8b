import type { BrokenModel, ServedModel } from "#protocol/bus/membership";
import { version } from "#common/version";
import type { GatewayState } from "./gateway-probe.js";
import { type ClusterFacts, reasonsNotReady } from "./readiness.js";

interface ReportedLoad {
  model: string;
  slots: number;
  free_slots: number;
  queued_chunks: number;
  predicted_wait_ms: number;
}

/** Body of `GET /health`. The process answers, so it lives; the rest says how well the cluster around it does. */
export interface HealthReport {
  status: "ok" | "degraded";
  version: string;
  node: string;
  id: string;
  uptime_seconds: number;
  draining: boolean;
  bus_connected: boolean;
  /** Why speech cannot be served now, and what is broken besides. */
  problems: string[];
  /** The server of the rooms that agents talk in. It is no problem of speech's when it is away. */
  gateway: GatewayState;
  control_planes: { id: string; state: string }[];
  schedulers: { id: string; state: string; loads: ReportedLoad[] }[];
  workers: {
    id: string;
    state: string;
    scheduler_id: string | null;
    slots: number;
    models: string[];
    broken_models: BrokenModel[];
  }[];
  models: {
    name: string;
    task: string;
    languages: string[];
    sample_rate: number;
    speakers: number;
    providers: string[];
    workers: number;
    clones_voices: boolean;
  }[];
}

/** Describes the cluster as this edge sees it. */
export function describeHealth(
  facts: ClusterFacts & { id: string; uptimeSeconds: number; gateway: GatewayState },
): HealthReport {
  const { members } = facts;
  const workers = members.ofRole("worker");
  const broken = workers.flatMap((worker) =>
    worker.brokenModels.map(({ name, reason }) => `Worker ${worker.id} could not load ${name}: ${reason}`),
  );
  const problems = [...reasonsNotReady(facts), ...broken];
  return {
    status: problems.length === 0 ? "ok" : "degraded",
    version,
    node: process.version,
    id: facts.id,
    uptime_seconds: Math.round(facts.uptimeSeconds),
    draining: facts.draining,
    bus_connected: facts.busConnected,
    problems,
    gateway: facts.gateway,
    control_planes: members.ofRole("control-plane").map(({ id, state }) => ({ id, state })),
    schedulers: members
      .ofRole("scheduler")
      .map(({ id, state, loads }) => ({
        id,
        state,
        loads: loads.map((load) => ({
          model: load.model,
          slots: load.slots,
          free_slots: load.freeSlots,
          queued_chunks: load.queuedChunks,
          predicted_wait_ms: Math.round(load.predictedWaitMs),
        })),
      })),
    workers: workers.map((worker) => ({
      id: worker.id,
      state: worker.state,
      scheduler_id: worker.schedulerId,
      slots: worker.slots,
      models: worker.models.map(({ name }) => name),
      broken_models: worker.brokenModels,
    })),
    models: mergeModels(workers.flatMap(({ models }) => models)),
  };
}

function mergeModels(served: ServedModel[]): HealthReport["models"] {
  const byName = new Map<string, HealthReport["models"][number]>();
  for (const model of served) {
    const { name, task, languages, sampleRate, speakers, provider } = model;
    const merged = byName.get(name) ?? {
      name,
      task,
      languages,
      sample_rate: sampleRate,
      speakers: speakers.length,
      providers: [],
      workers: 0,
      clones_voices: model.clonesVoices === true,
    };
    merged.workers++;
    if (!merged.providers.includes(provider)) merged.providers.push(provider);
    byName.set(name, merged);
  }
  return [...byName.values()];
}
