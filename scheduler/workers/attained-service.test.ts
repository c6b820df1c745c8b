import { expect, it } from "vitest";
import { AttainedService } from "./attained-service.js";

it("gives each batch the whole of a slot while there are slots for all, and a share of them beyond that", () => {
  const service = new AttainedService();
  expect(service.advance(1000, { slots: 2, running: 0 })).toBe(0);
  expect(service.advance(1100, { slots: 2, running: 1 })).toBe(100);
  expect(service.advance(1200, { slots: 2, running: 2 })).toBe(200);
  expect(service.advance(1300, { slots: 2, running: 4 })).toBe(250);
  expect(service.advance(1300, { slots: 2, running: 4 })).toBe(250);
});
