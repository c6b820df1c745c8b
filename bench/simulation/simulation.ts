import { VirtualClock } from "#common/clock";
import { HEARTBEAT_INTERVAL_MS, MEMBER_TIMEOUT_MS } from "#protocol/bus/membership";
import type { ServiceTier } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import { schedulingPolicy } from "#scheduler/policy";
import { Network } from "./network.js";
import { type Random, seededRandom } from "./random.js";
import type { Scenario } from "./scenario.js";
import { SimulatedEdge } from "./simulated-edge.js";
import { type CoreCost, SimulatedScheduler } from "./simulated-scheduler.js";
import { newStream, type SimulatedStream } from "./simulated-stream.js";
import { type Engine, SimulatedWorker } from "./simulated-worker.js";

/** Speech at an ordinary pace. */
const AUDIO_MS_PER_CHARACTER = 65;
/** Chunks grow: a first clause, half a sentence, sentences. */
const FIRST_CHARACTERS = 20;
const SECOND_CHARACTERS = 40;
/** Virtual time after the last arrival within which everything must have ended. */
const PATIENCE_MS = 600_000;
/** Streams whose mean length tells the capacity of a cluster. */
const SAMPLED = 20_000;

/** What a run gave. */
export interface Outcome {
  scenario: Scenario;
  streams: readonly SimulatedStream[];
  cost: CoreCost;
  /** Engine milliseconds spent per tier until the last stream had arrived: the time of contention. */
  engineMsByTier: Record<ServiceTier, number>;
  resubmissions: number;
  /** Most batches that one worker held of one scheduler at once. */
  mostHeld: number;
  /** Work left in the schedulers at the end. */
  leftOver: number;
  virtualMs: number;
}

/** Runs a scenario to its end in virtual time. The same scenario gives the same outcome, wall times aside. */
export function simulate(scenario: Scenario): Outcome {
  const clock = new VirtualClock();
  const random = seededRandom(scenario.seed);
  const network = new Network(clock);
  const cost: CoreCost = { chunkEvents: 0, chunkWallMs: 0, otherEvents: 0, otherWallMs: 0, faults: 0 };
  const policy = schedulingPolicy({
    PARLEY_QUEUE_CHUNKS: scenario.queueChunks,
    PARLEY_ADMISSION_WAIT_MS: scenario.admissionWaitMs,
  });
  const arrivalMs = scenario.arrivalSeconds * 1000;

  const schedulerIds = Array.from({ length: scenario.schedulers }, (_, index) => `s${index}`);
  const schedulers = schedulerIds.map((id) => new SimulatedScheduler({ id, network, clock, policy, cost }));
  const engineMsByTier: Record<ServiceTier, number> = { live: 0, free: 0, bulk: 0 };
  const tiers = new Map<string, ServiceTier>();
  const engine = countingEngine(scenario, random, (chunk, engineMs) => {
    if (clock.nowMs() < arrivalMs) engineMsByTier[tiers.get(chunk.streamId) ?? "live"] += engineMs;
  });
  const workers = Array.from({ length: scenario.workers }, (_, index) => {
    const schedulerId = schedulerIds[index % schedulerIds.length] ?? "";
    const phaseMs = random.next() * HEARTBEAT_INTERVAL_MS;
    return new SimulatedWorker({
      id: `w${index}`,
      slots: scenario.slotsPerWorker,
      schedulerId,
      network,
      clock,
      engine,
      phaseMs,
    });
  });
  const edges = Array.from(
    { length: scenario.edges },
    (_, index) => new SimulatedEdge({ id: `e${index}`, network, clock, scenario }),
  );

  const streams: SimulatedStream[] = [];
  let atMs = HEARTBEAT_INTERVAL_MS;
  for (let index = 0; index < scenario.streams; index += 1) {
    atMs += random.exponential(arrivalMs / scenario.streams);
    const stream = newStream({
      id: `t${index}`,
      tier: someTier(scenario, random),
      chunks: someChunks(scenario, random),
      arrivedAtMs: atMs,
    });
    streams.push(stream);
    tiers.set(stream.id, stream.tier);
    clock.after(atMs, () => edges[index % edges.length]?.open(stream));
  }
  for (let kill = 0; kill < scenario.workerKills; kill += 1) {
    clock.after(random.next() * arrivalMs, () => workers[random.below(workers.length)]?.kill(scenario.workerRestartMs));
  }
  if (scenario.schedulerKillAtMs !== null)
    clock.after(scenario.schedulerKillAtMs, () => killScheduler(schedulers, schedulerIds, network, clock));

  const untilMs = atMs + PATIENCE_MS;
  while (clock.nowMs() < untilMs && streams.some((stream) => stream.end === null)) clock.advance(1000);
  return {
    scenario,
    streams,
    cost,
    engineMsByTier,
    resubmissions: edges.reduce((sum, edge) => sum + edge.resubmissions, 0),
    mostHeld: workers.reduce((most, worker) => Math.max(most, worker.mostHeld), 0),
    leftOver: schedulers
      .slice(scenario.schedulerKillAtMs === null ? 0 : 1)
      .reduce((sum, one) => sum + one.pending().queuedChunks, 0),
    virtualMs: clock.nowMs(),
  };
}

/** The first scheduler dies; everyone else notices when its heartbeats have been missing for long enough. */
function killScheduler(
  schedulers: readonly SimulatedScheduler[],
  ids: readonly string[],
  network: Network,
  clock: VirtualClock,
): void {
  schedulers[0]?.kill();
  const dead = ids[0] ?? "";
  clock.after(MEMBER_TIMEOUT_MS + HEARTBEAT_INTERVAL_MS, () => {
    for (const worker of network.workers.values()) worker.attach(ids.slice(1));
    for (const edge of network.edges.values()) edge.schedulerLost(dead);
  });
}

/** Streams that such a cluster can speak in a second when it does nothing else, by a sample of them. */
export function streamsPerSecond(scenario: Scenario): number {
  const random = seededRandom(scenario.seed);
  const sampled = Array.from({ length: SAMPLED }, () => someChunks(scenario, random));
  const engineMs = sampled
    .flat()
    .reduce((sum, characters) => sum + meanEngineMs(scenario, characters * AUDIO_MS_PER_CHARACTER), 0);
  return (scenario.workers * scenario.slotsPerWorker * 1000) / (engineMs / SAMPLED);
}

function meanEngineMs({ engineBaseMs, realTimeFactor }: Scenario, audioMs: number): number {
  return engineBaseMs + audioMs * realTimeFactor;
}

function countingEngine(
  scenario: Scenario,
  random: Random,
  count: (chunk: SpeechChunk, engineMs: number) => void,
): Engine {
  const audioMs = (chunk: SpeechChunk): number => chunk.text.length * AUDIO_MS_PER_CHARACTER;
  return {
    audioMs,
    engineMs: (chunk) => {
      const engineMs = meanEngineMs(scenario, audioMs(chunk)) * (0.85 + 0.3 * random.next());
      count(chunk, engineMs);
      return engineMs;
    },
  };
}

function someTier(scenario: Scenario, random: Random): ServiceTier {
  const at = random.next();
  if (at < scenario.freeFraction) return "free";
  return at < scenario.freeFraction + scenario.bulkFraction ? "bulk" : "live";
}

function someChunks(scenario: Scenario, random: Random): number[] {
  const count = 1 + Math.round(random.exponential(scenario.meanChunks - 1));
  return Array.from({ length: Math.min(count, 60) }, (_, index) => {
    if (index === 0) return FIRST_CHARACTERS;
    return index === 1 ? SECOND_CHARACTERS : 40 + random.below(60);
  });
}
