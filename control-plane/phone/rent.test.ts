import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "./acquire.js";
import { dueDays } from "./rent.js";

describe("days of rent that are due", () => {
  it("are none before the paid ones are over, and begin where they end", () => {
    const paid = new Date("2026-11-23T10:00:00.000Z");
    const after = (ms: number): Date => new Date(paid.getTime() + ms);
    expect(dueDays(paid, after(-1))).toEqual({ begins: [], rentedUntil: paid });
    expect(dueDays(paid, paid)).toEqual({ begins: [paid], rentedUntil: after(DAY_MS) });
    expect(dueDays(paid, after(DAY_MS))).toEqual({ begins: [paid, after(DAY_MS)], rentedUntil: after(2 * DAY_MS) });
  });

  it("are the same days, however often and late they are charged", () => {
    const looks = fc.array(fc.integer({ min: 0, max: 40 * DAY_MS }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(looks, fc.integer({ min: 1, max: 7 }), (timesMs, atOnce) => {
        const ordered = [...timesMs].sort((a, b) => a - b);
        const last = ordered.at(-1) ?? 0;
        const charged: number[] = [];
        let until = new Date(0);
        // The last look is repeated until nothing is due.
        for (const time of [...ordered, ...Array<number>(41).fill(last)]) {
          const { begins, rentedUntil } = dueDays(until, new Date(time), atOnce);
          charged.push(...begins.map((day) => day.getTime()));
          until = rentedUntil;
        }
        const expected = Array.from({ length: Math.floor(last / DAY_MS) + 1 }, (_, day) => day * DAY_MS);
        expect(charged).toEqual(expected);
      }),
    );
  });
});
