import { setMaxListeners } from "node:events";
import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { type MemoryAccount, MemoryBudget } from "./memory-budget.js";

const MB = 2 ** 20;
const never = new AbortController().signal;
setMaxListeners(0, never);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const limits = { totalBytes: 168 * MB, growingBytes: 2000, waitingBytes: 4000, copies: 2, maxWaitMs: 20_000 };

/** A promise, and whether it has settled. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  promise.then(
    () => (isSettled = true),
    () => (isSettled = true),
  );
  await turn();
  return isSettled;
}

function budgetOf(changes: Partial<typeof limits> = {}): {
  budget: MemoryBudget;
  clock: VirtualClock;
  open: (teamId: string, megabytes?: number, signal?: AbortSignal) => Promise<MemoryAccount>;
} {
  const clock = new VirtualClock();
  const budget = new MemoryBudget({ ...limits, ...changes }, clock);
  return {
    budget,
    clock,
    open: (teamId, megabytes = 20, signal = never) =>
      budget.open({ teamId, expectedBytes: megabytes * MB, unaskedBytes: 1, signal }),
  };
}

it("counts what has arrived, twice until it is complete, and not what was announced", async () => {
  const { budget, open } = budgetOf();
  const [first] = await Promise.all(Array.from({ length: 30 }, () => open("a", 20)));
  expect(budget.heldBytes).toBe(0);
  await first?.add(3 * MB);
  expect(budget.heldBytes).toBe(6 * MB);
  first?.complete(2 * MB);
  expect(budget.heldBytes).toBe(2 * MB);
  first?.close();
  first?.close();
  expect(budget.heldBytes).toBe(0);
});

/** Sends a body in pieces until it is held up; gives the megabytes that came. */
async function send(upload: MemoryAccount, megabytes: number): Promise<number> {
  for (let sent = 0; sent < megabytes; ) {
    sent += 0.5;
    if (!(await settled(upload.add(0.5 * MB)))) return sent;
  }
  return megabytes;
}

it("leaves another team room for a whole file, however many a team sends, slow ones above all", async () => {
  const { open } = budgetOf();
  for (let i = 0; i < 30; i++) await send(await open("slow"), 0.5);
  expect(await send(await open("greedy"), 20)).toBe(20);
  expect(await send(await open("greedy"), 20)).toBeLessThan(20);
  expect(await send(await open("honest"), 10)).toBe(10);
});

it("holds a team's younger uploads up until the older ones can be completed", async () => {
  const { open } = budgetOf();
  const uploads = await Promise.all(Array.from({ length: 32 }, () => open("a", 20.1)));
  const begun = uploads.map((upload) => upload.add(0.6 * MB));
  expect((await Promise.all(begun.map(settled))).indexOf(false)).toBe(2);
  // However many there are, the oldest can be completed.
  const [first, second, third] = uploads as [MemoryAccount, MemoryAccount, MemoryAccount];
  expect(await send(first, 19.5)).toBe(19.5);
  expect(await send(second, 19.5)).toBeLessThan(19.5);
  // It is transcribed, for which its bytes are needed once.
  first.complete(20 * MB);
  first.close();
  expect(await send(second, 1)).toBe(1);
  expect(await settled(begun[2] as Promise<void>)).toBe(false);
  second.close();
  expect(await settled(begun[2] as Promise<void>)).toBe(true);
  expect(await send(third, 1)).toBe(1);
  // Small ones need not wait for large ones.
  uploads.slice(10).forEach((upload) => upload.close());
  expect(await settled((await open("a", 0.2)).add(0.2 * MB))).toBe(true);
});

it("gives an upload that is alone what it needs", async () => {
  const { open } = budgetOf();
  const huge = await open("a", 140);
  expect(await settled(huge.add(140 * MB))).toBe(true);
  const next = (await open("b")).add(MB);
  expect(await settled(next)).toBe(false);
  huge.close();
  await next;
});

it("gives up after a while, and at once when the client leaves", async () => {
  const { budget, clock, open } = budgetOf();
  const huge = await open("a", 140);
  await huge.add(140 * MB);
  const late = (await open("b")).add(MB);
  const leaver = new AbortController();
  const gone = (await open("c", 20, leaver.signal)).add(MB);
  leaver.abort();
  await expect(gone).rejects.toMatchObject({ name: "AbortError" });
  clock.advance(19_999);
  expect(await settled(late)).toBe(false);
  clock.advance(1);
  await expect(late).rejects.toMatchObject({ code: "overloaded" });
  expect(budget.heldBytes).toBe(280 * MB);
  huge.close();
  expect(budget.heldBytes).toBe(0);
});

it("shares what may come unasked between teams, of those that grow and of those that wait for it", async () => {
  const { clock, open } = budgetOf({ growingBytes: 8, waitingBytes: 4 });
  const places = await Promise.all(Array.from({ length: 4 }, () => open("a")));
  const queued = [open("a"), open("a")];
  expect(await Promise.all(queued.map(settled))).toEqual([false, false]);
  await expect(open("a")).rejects.toMatchObject({ code: "overloaded" });
  await Promise.all([open("b"), open("b")]);
  expect(await settled(open("b"))).toBe(false);
  await open("c");
  places[0]?.complete(10);
  // The others have become more: three would be more than half of what they leave.
  expect(await Promise.all(queued.map(settled))).toEqual([false, false]);
  places[1]?.complete(10);
  expect(await Promise.all(queued.map(settled))).toEqual([true, false]);
  clock.advance(20_000);
  await expect(queued[1]).rejects.toMatchObject({ code: "overloaded" });
});
