import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { UploadBudget } from "./upload-budget.js";

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("lets in what fits, in order, and one that is larger than all when there is nothing else", async () => {
  const budget = new UploadBudget(100, new VirtualClock());
  const entered: string[] = [];
  const take = async (name: string, bytes: number): Promise<() => void> => {
    const free = await budget.take(bytes, never);
    entered.push(name);
    return free;
  };
  const first = await take("first", 80);
  const second = take("second", 60);
  const third = take("third", 10);
  await turn();
  // The third would fit, but would keep the second waiting for ever.
  expect(entered).toEqual(["first"]);
  first();
  first();
  (await second)();
  (await third)();
  expect(entered).toEqual(["first", "second", "third"]);
  (await take("huge", 1000))();
});

it("gives up after a while, and at once when the client leaves", async () => {
  const clock = new VirtualClock();
  const budget = new UploadBudget(100, clock);
  const free = await budget.take(100, never);
  const late = budget.take(10, never).catch((error: { code: string }) => error.code);
  const leaver = new AbortController();
  const gone = budget.take(10, leaver.signal).catch((error: Error) => error.name);
  leaver.abort();
  expect(await gone).toBe("AbortError");
  clock.advance(30_000);
  expect(await late).toBe("overloaded");
  free();
  (await budget.take(100, never))();
});

it("does not let everybody wait", async () => {
  const budget = new UploadBudget(100, new VirtualClock());
  await budget.take(100, never);
  for (let i = 0; i < 256; i++) budget.take(1, never).catch(() => undefined);
  await expect(budget.take(1, never)).rejects.toMatchObject({ code: "overloaded" });
});
