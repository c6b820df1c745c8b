import { BatchLimit } from "./batch-limit.js";
import { LeastSquaresLine } from "./least-squares.js";
import { remembered } from "./memory.js";
import { ResidualQuantile } from "./residual-quantile.js";
import { ServiceDemand } from "./service-demand.js";

/** Until something was measured: a slow CPU engine. */
const PRIOR = { a: 10, b: 0.5, scale: 60 };
const WARM_UP_CALLS = 8;

/**
 * What one model takes on one kind of processor: t = a + b·(batch size × longest text), with the p95 of the error.
 * Times are those of the scheduler's own clock, from dispatch to completion: what a slot is really occupied for.
 */
export class LatencyModel {
  readonly batchLimit = new BatchLimit();
  /** Of speech alone. */
  readonly service = new ServiceDemand();
  readonly #line = new LeastSquaresLine(PRIOR);
  readonly #residual = new ResidualQuantile();
  #calls = 0;
  #observedAtMs = 0;
  #meanMs = PRIOR.a + PRIOR.b * PRIOR.scale;

  /** Expected milliseconds of a call. */
  expectMs(batchSize: number, longestSize: number): number {
    return this.#line.at(batchSize * longestSize);
  }

  /** Milliseconds that 95 of 100 such calls stay below. */
  predictP95Ms(batchSize: number, longestSize: number): number {
    return this.expectMs(batchSize, longestSize) + this.#residual.p95();
  }

  /** Recent mean duration of a call, in milliseconds. */
  meanMs(): number {
    return this.#meanMs;
  }

  /** Expected milliseconds of engine time for many chunks, spoken in batches of `batchSize`. */
  workMs(chunks: number, size: number, batchSize: number): number {
    if (chunks === 0) return 0;
    return (chunks / batchSize) * this.#line.at(0) + size * (this.#line.at(1) - this.#line.at(0));
  }

  observe(batchSize: number, longestSize: number, tookMs: number, nowMs: number): void {
    const predictedP95Ms = this.predictP95Ms(batchSize, longestSize);
    const expectedMs = this.expectMs(batchSize, longestSize);
    this.batchLimit.observe({ batchSize, tookMs, predictedP95Ms });
    this.#residual.observe(tookMs - expectedMs, nowMs);
    // A swapped-out or stopped process gives one absurd time; it must not turn thousands of later predictions.
    const believedMs = this.#calls < WARM_UP_CALLS ? tookMs : Math.min(tookMs, 4 * predictedP95Ms);
    const rest = remembered(nowMs - this.#observedAtMs);
    this.#observedAtMs = nowMs;
    this.#line.fade(rest);
    this.#line.observe(batchSize * longestSize, believedMs);
    this.#meanMs = this.#calls === 0 ? tookMs : this.#meanMs + Math.max(0.05, 1 - rest) * (believedMs - this.#meanMs);
    this.#calls += 1;
  }
}

/** The latency models of all models and processors met so far. */
export class LatencyBook {
  readonly #ofProvider = new Map<string, Map<string, LatencyModel>>();

  of(model: string, provider: string): LatencyModel {
    const ofModel = this.#ofProvider.get(provider) ?? new Map<string, LatencyModel>();
    const found = ofModel.get(model) ?? new LatencyModel();
    if (ofModel.size === 0) this.#ofProvider.set(provider, ofModel);
    if (!ofModel.has(model)) ofModel.set(model, found);
    return found;
  }
}
