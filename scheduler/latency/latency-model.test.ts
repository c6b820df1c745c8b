import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LatencyBook, LatencyModel } from "./latency-model.js";
import { LeastSquaresLine } from "./least-squares.js";

const EVERY_MS = 25;

describe("the latency model", () => {
  it("learns base and slope from measurements", () => {
    const model = new LatencyModel();
    for (let call = 0; call < 200; call += 1) {
      const size = 20 + ((call * 37) % 200);
      model.observe(1, size, 8 + 0.25 * size, call * EVERY_MS);
    }
    expect(model.expectMs(1, 100)).toBeCloseTo(33, 0);
    expect(model.expectMs(1, 300)).toBeCloseTo(83, 0);
    expect(model.workMs(10, 1000, 1)).toBeCloseTo(10 * 8 + 250, -1);
  });

  it("predicts a p95 that about 95 of 100 calls stay below", () => {
    const model = new LatencyModel();
    let above = 0;
    for (let call = 0; call < 2000; call += 1) {
      const size = 40 + ((call * 13) % 80);
      const tookMs = 10 + 0.5 * size + ((call * 7919) % 100) / 5;
      if (call > 200 && tookMs > model.predictP95Ms(1, size)) above += 1;
      model.observe(1, size, tookMs, call * EVERY_MS);
    }
    expect(above / 1800).toBeGreaterThan(0.01);
    expect(above / 1800).toBeLessThan(0.12);
  });

  it("does not let one absurd measurement turn the predictions", () => {
    const model = new LatencyModel();
    for (let call = 0; call < 100; call += 1) model.observe(1, 50 + (call % 20), 40, call * EVERY_MS);
    model.observe(1, 60, 60_000, 100 * EVERY_MS);
    expect(model.expectMs(1, 60)).toBeLessThan(60);
  });

  it("adapts when the engine has become slower for good", () => {
    const model = new LatencyModel();
    for (let call = 0; call < 100; call += 1) model.observe(1, 60, 20, call * EVERY_MS);
    for (let call = 0; call < 300; call += 1) model.observe(1, 60, 200, (100 + call) * EVERY_MS);
    expect(model.expectMs(1, 60)).toBeGreaterThan(120);
  });

  it("does not hold a machine to its slow start: a pause and some calls later it is forgotten", () => {
    const model = new LatencyModel();
    for (let call = 0; call < 24; call += 1) model.observe(1, 60, 2000, call * EVERY_MS);
    for (let call = 0; call < 8; call += 1) model.observe(1, 60, 20, 25_000 + call * EVERY_MS);
    expect(model.predictP95Ms(1, 60)).toBeLessThan(100);
    expect(model.meanMs()).toBeLessThan(100);
  });

  it("never predicts less time for more text, nor negative time, whatever it has seen", () => {
    const measurement = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 10_000, noNaN: true }));
    fc.assert(
      fc.property(fc.array(measurement, { maxLength: 50 }), (measurements) => {
        const line = new LeastSquaresLine({ a: 10, b: 0.5, scale: 60 });
        for (const [size, tookMs] of measurements) line.observe(size, tookMs);
        expect(line.at(0)).toBeGreaterThanOrEqual(0);
        expect(line.at(500)).toBeGreaterThanOrEqual(line.at(100));
        expect(Number.isFinite(line.at(500))).toBe(true);
      }),
    );
  });

  it("halves the batch after a call far over its prediction and grows back one by one", () => {
    const { batchLimit } = new LatencyModel();
    expect(batchLimit.within(16)).toBe(16);
    batchLimit.observe({ batchSize: 16, tookMs: 200, predictedP95Ms: 100 });
    expect(batchLimit.within(16)).toBe(8);
    batchLimit.observe({ batchSize: 8, tookMs: 50, predictedP95Ms: 100 });
    expect(batchLimit.within(16)).toBe(9);
    batchLimit.observe({ batchSize: 3, tookMs: 50, predictedP95Ms: 100 });
    expect(batchLimit.within(16)).toBe(9);
    for (let call = 0; call < 10; call += 1) batchLimit.observe({ batchSize: 2, tookMs: 200, predictedP95Ms: 100 });
    expect(batchLimit.within(16)).toBe(1);
  });

  it("keeps models and processors apart", () => {
    const book = new LatencyBook();
    for (let call = 0; call < 50; call += 1) book.of("voice", "cuda").observe(1, 60, 2, call * EVERY_MS);
    expect(book.of("voice", "cuda").expectMs(1, 60)).toBeLessThan(5);
    expect(book.of("voice", "cpu").expectMs(1, 60)).toBeGreaterThan(20);
  });
});
