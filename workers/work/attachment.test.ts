import { expect, it } from "vitest";
import { chooseScheduler } from "./attachment.js";

const workers = Array.from({ length: 2000 }, (_, i) => `worker-${i}`);

it("belongs to nobody when there is nobody", () => {
  expect(chooseScheduler("worker-1", [])).toBeNull();
});

it("spreads workers about evenly, and does not depend on the order in which schedulers were heard", () => {
  const schedulers = ["a", "b", "c", "d"];
  for (const id of schedulers) {
    const share = workers.filter((worker) => chooseScheduler(worker, schedulers) === id).length / workers.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.3);
  }
  for (const worker of workers.slice(0, 50))
    expect(chooseScheduler(worker, ["d", "b", "a", "c"])).toBe(chooseScheduler(worker, schedulers));
});

it("moves only the workers of a scheduler that goes", () => {
  for (const worker of workers) {
    const before = chooseScheduler(worker, ["a", "b", "c"]);
    if (before !== "c") expect(chooseScheduler(worker, ["a", "b"])).toBe(before);
  }
});
