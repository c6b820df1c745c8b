import type { Submit } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { LatencyBook } from "../latency/latency-model.js";
import type { ServiceDemand } from "../latency/service-demand.js";
import type { SchedulingPolicy } from "../policy.js";
import type { WorkQueue } from "../queue/work-queue.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { WorkerRegistry } from "../workers/worker-registry.js";
import { agedFloor } from "../queue/fair-share.js";
import { type Capacity, type Demand, latenessMs, streamsThatFit } from "./capacity.js";
import { addNeed, addProfile, type DemandProfile, emptyProfile, moveTowards, totalOf } from "./demand-profile.js";
import { type Beginning, type LiveStreams, needOfNew } from "./live-streams.js";
import type { PlayoutNeed } from "./playout-need.js";
import { TeamShares } from "./team-shares.js";

/** Shortest time between two looks at all streams, and what each stream adds to it: many change less from one to all. */
const REFRESH_MS = 20;
const REFRESH_MS_PER_STREAM = 0.02;

/** What the latest stream counts in the mean of what streams need. */
const LATEST_SHARE = 0.1;

type SpeechSubmit = Submit & { chunk: SpeechChunk };

/** What is looked at. */
export interface HeadroomParts {
  policy: SchedulingPolicy;
  queue: WorkQueue;
  workers: WorkerRegistry;
  book: LatencyBook;
  streams: LiveStreams;
}

/** A stream that is asked for. */
interface Asked {
  model: string;
  tier: "live" | "free";
  teamId: string | undefined;
  /** What it needs. */
  added: DemandProfile;
}

/** What is the same for all streams of a model. */
interface ModelTerms {
  service: ServiceDemand;
  demand: Demand;
  terms: { serviceMs: number; reserveMs: number };
}

/**
 * Whether workers can speak another stream besides those that they have, as fast as all of them are played. What the
 * streams need is added up from time to time, and what is admitted in between is added to that.
 */
export class Headroom {
  readonly #parts: HeadroomParts;
  readonly #demands = new Map<string, Demand>();
  readonly #teams = new TeamShares();
  /** Audio that a live stream of each model needs, on average of those that were asked for lately. */
  readonly #usual = new Map<string, DemandProfile>();
  /** What the stream that is being counted needs: all of them are counted many times a second. */
  readonly #ofOne = emptyProfile();
  /** When all streams are looked at again. */
  #refreshAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: HeadroomParts) {
    this.#parts = parts;
  }

  /**
   * How much too late the workers would speak with a new stream besides the others: `latenessMs`. Minus infinity where
   * no player needs anything yet: how slow the machine is thought to be is then no reason.
   */
  latenessWith(submit: SpeechSubmit, beginning: Beginning, nowMs: number): number {
    const { chunk, tier, teamId } = submit;
    const need = needOfNew(submit, beginning, this.#serviceOf(chunk.model));
    if (teamId !== undefined) this.#teams.asked(teamId, nowMs);
    if (tier === "bulk") return Number.NEGATIVE_INFINITY;
    if (tier === "live") this.#noteUsual(chunk.model, need);
    const added = this.#profileOf(chunk.model, need);
    return this.#lateness({ model: chunk.model, tier, teamId, added }, nowMs);
  }

  /** The same for a live stream of unknown length. */
  latenessWithAny(model: string, nowMs: number): number {
    const added = this.#profileOf(model, this.#needOfAny(model));
    return this.#lateness({ model, tier: "live", teamId: undefined, added }, nowMs);
  }

  /** How many more live streams would be taken, if each needed what those asked for lately need. One where none plays. */
  streamsBeside(model: string, nowMs: number): number {
    const pools = this.#parts.workers.poolsOf(model);
    if (pools.length === 0) return 0;
    this.#refresh(nowMs);
    const demand = this.#demandOn(pools);
    const added = emptyProfile();
    addProfile(
      added,
      this.#usual.get(model) ?? this.#audioOf(this.#needOfAny(model)),
      this.#serviceOf(model).serviceMs(1),
    );
    return Math.max(isNothing(demand) ? 1 : 0, streamsThatFit(demand, added, this.#capacityOf(pools, nowMs)));
  }

  /** Takes a new stream that was admitted into account. */
  admitted(submit: SpeechSubmit, beginning: Beginning): void {
    const { chunk, tier, teamId } = submit;
    if (tier === "bulk") return;
    const terms = this.#termsOf(chunk.model);
    this.#count({ tier, teamId }, needOfNew(submit, beginning, terms.service), terms);
  }

  #lateness({ model, tier, teamId, added }: Asked, nowMs: number): number {
    const pools = this.#parts.workers.poolsOf(model);
    this.#refresh(nowMs);
    const demand = this.#demandOn(pools);
    if (pools.length === 0 || isNothing(demand)) return Number.NEGATIVE_INFINITY;
    const capacity = this.#capacityOf(pools, nowMs);
    const standings = teamId === undefined ? null : this.#teams.standings(teamId, added, capacity.slots);
    const { othersShare, reserveMs, shareReserveMs } = this.#parts.policy;
    const team = standings === null ? null : { standings, othersShare, reserveMs, shareReserveMs };
    return latenessMs(tier, demand, added, capacity, team);
  }

  #profileOf(model: string, need: PlayoutNeed): DemandProfile {
    const profile = emptyProfile();
    addNeed(profile, need, this.#terms(this.#serviceOf(model)));
    return profile;
  }

  #needOfAny(model: string): PlayoutNeed {
    const chunkMs = this.#serviceOf(model).meanAudioMs();
    return { nextMs: chunkMs, nextDueMs: 0, thenDueMs: chunkMs, remainingMs: Number.POSITIVE_INFINITY, chunkMs };
  }

  /** The audio that is needed, whatever service it takes: what was seen at another speed still counts. */
  #audioOf(need: PlayoutNeed): DemandProfile {
    const profile = emptyProfile();
    addNeed(profile, need, { serviceMs: 1, reserveMs: this.#parts.policy.reserveMs });
    return profile;
  }

  #noteUsual(model: string, need: PlayoutNeed): void {
    const usual = this.#usual.get(model);
    if (usual === undefined) this.#usual.set(model, this.#audioOf(need));
    else moveTowards(usual, this.#audioOf(need), LATEST_SHARE);
  }

  /** Counts what a stream needs, for all and for its team. */
  #count({ tier, teamId }: Pick<Asked, "tier" | "teamId">, need: PlayoutNeed, { demand, terms }: ModelTerms): void {
    const profile = this.#ofOne.fill(0);
    addNeed(profile, need, terms);
    addProfile(demand[tier], profile);
    if (teamId !== undefined) this.#teams.add(teamId, profile);
  }

  #refresh(nowMs: number): void {
    const { streams, queue } = this.#parts;
    if (nowMs < this.#refreshAtMs) return;
    this.#refreshAtMs = nowMs + Math.max(REFRESH_MS, streams.size * REFRESH_MS_PER_STREAM);
    this.#demands.clear();
    this.#teams.recount(nowMs);
    const models = new Map<string, ModelTerms>();
    const termsOf = (model: string): ModelTerms => {
      const found = models.get(model) ?? this.#termsOf(model);
      models.set(model, found);
      return found;
    };
    const sources = {
      queuedOf: (streamId: string) => queue.chunksOf(streamId),
      serviceOf: (model: string) => termsOf(model).service,
    };
    streams.visitNeeds(sources, nowMs, (stream, need) => this.#count(stream, need, termsOf(stream.model)));
  }

  #termsOf(model: string): ModelTerms {
    const service = this.#serviceOf(model);
    return { service, demand: this.#ofModel(model), terms: this.#terms(service) };
  }

  /** What all streams need of these pools: of a model that others serve too, the part that falls on these. */
  #demandOn(pools: readonly WorkerPool[]): Demand {
    const { workers } = this.#parts;
    const total: Demand = { live: emptyProfile(), free: emptyProfile() };
    for (const [model, { live, free }] of this.#demands) {
      const serving = workers.poolsOf(model);
      const share = slotsOf(pools.filter((pool) => serving.includes(pool))) / Math.max(1, slotsOf(serving));
      addProfile(total.live, live, share);
      addProfile(total.free, free, share);
    }
    return total;
  }

  #capacityOf(pools: readonly WorkerPool[], nowMs: number): Capacity {
    const { queue, policy } = this.#parts;
    const slots = slotsOf(pools);
    let bulkShare = 0;
    let recognition = 0;
    for (const pool of pools) {
      recognition += pool.liveRecognition.at(nowMs);
      for (const name of pool.models.keys()) {
        const head = queue.model(name)?.head("bulk");
        if (head === undefined) continue;
        const ageMs = pool.isFull(nowMs) ? 0 : nowMs - head.submittedAtMs;
        bulkShare = Math.max(bulkShare, agedFloor(policy.floors.bulk ?? 0, ageMs, policy.agingMs));
      }
    }
    return { slots, bulkShare, recognitionShare: recognition / Math.max(1, slots), freeShare: policy.floors.free ?? 0 };
  }

  #ofModel(model: string): Demand {
    const found = this.#demands.get(model) ?? { live: emptyProfile(), free: emptyProfile() };
    this.#demands.set(model, found);
    return found;
  }

  #serviceOf(model: string): ServiceDemand {
    const { workers, book } = this.#parts;
    return book.of(model, workers.poolsOf(model)[0]?.models.get(model)?.provider ?? "").service;
  }

  #terms(service: ServiceDemand): { serviceMs: number; reserveMs: number } {
    return { serviceMs: service.serviceMs(1), reserveMs: this.#parts.policy.reserveMs };
  }
}

function slotsOf(pools: readonly WorkerPool[]): number {
  return pools.reduce((sum, pool) => sum + pool.general.slots, 0);
}

/** The last horizon has all that earlier ones have. */
function isNothing({ live, free }: Demand): boolean {
  return totalOf(live) === 0 && totalOf(free) === 0;
}
