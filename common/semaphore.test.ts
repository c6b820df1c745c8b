import { expect, it } from "vitest";
import { Semaphore } from "./semaphore.js";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("lets the next in when a place is given back, in order, and passes over who has left", async () => {
  const semaphore = new Semaphore(1);
  const never = new AbortController().signal;
  const leaving = new AbortController();
  const entered: string[] = [];
  const enter = async (name: string, signal = never): Promise<() => void> => {
    const release = await semaphore.take(signal);
    entered.push(name);
    return release;
  };
  const first = await enter("first");
  const second = enter("second", leaving.signal);
  second.catch(() => undefined);
  const third = enter("third");
  await settled();
  expect([entered, semaphore.waiting]).toEqual([["first"], 2]);
  leaving.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  first();
  first();
  await third;
  expect([entered, semaphore.waiting]).toEqual([["first", "third"], 0]);
});
