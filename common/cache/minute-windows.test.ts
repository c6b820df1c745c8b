import { expect, it } from "vitest";
import { MinuteWindows } from "./minute-windows.js";

const minute = 60_000;

function windowsAt(start: number, options: { isAway?: boolean } = {}) {
  let nowMs = start;
  const counts = new Map<string, number>();
  const state = { isAway: options.isAway ?? false };
  const cache = {
    count: async (key: string): Promise<number | null> => {
      if (state.isAway) return null;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts.get(key) ?? 0;
    },
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const open = () => new MinuteWindows({ cache, now: () => new Date(nowMs) });
  return { open, state, pass };
}

it("allows so many in a minute over all processes, and as many in the next one", async () => {
  const { open, pass } = windowsAt(100 * minute + 10_000);
  const [one, other] = [open(), open()];
  expect(await one.take("a", 2)).toEqual({ isAllowed: true });
  expect(await other.take("a", 2)).toEqual({ isAllowed: true });
  expect(await one.take("a", 2)).toEqual({ isAllowed: false, retryAfterMs: 50_000 });
  expect(await one.take("b", 2)).toEqual({ isAllowed: true });
  pass(49_999);
  expect(await other.take("a", 2)).toEqual({ isAllowed: false, retryAfterMs: 1 });
  pass(1);
  expect(await other.take("a", 2)).toEqual({ isAllowed: true });
});

it("goes on counting by itself while the store does not answer", async () => {
  const { open, state, pass } = windowsAt(100 * minute, { isAway: true });
  const windows = open();
  for (const isAllowed of [true, true, false]) expect((await windows.take("a", 2)).isAllowed).toBe(isAllowed);
  expect((await windows.take("b", 2)).isAllowed).toBe(true);
  state.isAway = false;
  expect((await windows.take("a", 2)).isAllowed).toBe(false);
  pass(minute);
  expect((await windows.take("a", 2)).isAllowed).toBe(true);
});

it("has no limit where that is 0", async () => {
  const { open } = windowsAt(0, { isAway: true });
  const windows = open();
  for (let count = 0; count < 100; count++) expect((await windows.take("a", 0)).isAllowed).toBe(true);
});
