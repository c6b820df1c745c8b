import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Heap, type HeapEntry } from "./heap.js";

describe("heap", () => {
  it("gives values in order, whatever was pushed and removed in between", () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant("push" as const), value: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ kind: fc.constant("pop" as const), value: fc.constant(0) }),
      fc.record({ kind: fc.constant("remove" as const), value: fc.nat(200) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const heap = new Heap<number>((a, b) => a < b);
        let model: number[] = [];
        const entries: HeapEntry<number>[] = [];
        for (const { kind, value } of operations) {
          if (kind === "push") {
            entries.push(heap.push(value));
            model.push(value);
          } else if (kind === "pop") {
            model.sort((a, b) => a - b);
            expect(heap.pop()).toBe(model.shift());
          } else {
            const entry = entries[value % Math.max(1, entries.length)];
            if (entry === undefined) continue;
            const wasInside = entry.position >= 0;
            expect(heap.remove(entry)).toBe(wasInside);
            if (wasInside) model = model.toSpliced(model.indexOf(entry.value), 1);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.smallest(3)).toEqual([...model].sort((a, b) => a - b).slice(0, 3));
        }
      }),
    );
  });
});
