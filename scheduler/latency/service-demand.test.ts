import { describe, expect, it } from "vitest";
import { ServiceDemand } from "./service-demand.js";

const chunk = { chunks: 1, size: 60, serviceMs: 60, audioMs: 4200 };
const EVERY_MS = 25;

/** What is known after so many calls one after the other, the first at `fromMs`. */
const observed = (work: typeof chunk, times: number, fromMs = 0, demand = new ServiceDemand()): ServiceDemand => {
  for (let count = 0; count < times; count += 1) demand.observe(work, fromMs + count * EVERY_MS);
  return demand;
};

describe("the service that speech takes", () => {
  it("is what was measured, for each second of audio", () => {
    const demand = observed(chunk, 300);
    expect(demand.serviceMs(7000)).toBeCloseTo(100, 0);
    expect(demand.audioMs(60)).toBeCloseTo(4200, -1);
    expect(demand.meanAudioMs()).toBeCloseTo(4200, -1);
  });

  it("is less where batches speak several chunks in a call", () => {
    expect(observed({ ...chunk, chunks: 4, size: 240, audioMs: 16_800 }, 100).serviceMs(4200)).toBeCloseTo(15, 0);
  });

  it("follows a machine that has become slower within some seconds", () => {
    expect(observed({ ...chunk, serviceMs: 120 }, 400, 10_000, observed(chunk, 400)).serviceMs(4200)).toBeGreaterThan(
      105,
    );
  });

  it("does not believe one absurd time, nor a chunk without audio", () => {
    const demand = observed(chunk, 300);
    demand.observe({ ...chunk, serviceMs: 60_000 }, 7500);
    expect(demand.serviceMs(4200)).toBeLessThan(62);
    demand.observe({ ...chunk, audioMs: 0 }, 7600);
    expect(demand.serviceMs(4200)).toBeLessThan(62);
  });
});
