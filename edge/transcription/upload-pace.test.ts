import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { UploadPace } from "./upload-pace.js";

const RATE = 16_384;

/** A client that sends pieces of a size at times of its own. */
function client(bytesPerSecond: number): {
  clock: VirtualClock;
  send: (bytes: number, afterMs: number) => Promise<number>;
} {
  const clock = new VirtualClock();
  const pace = new UploadPace(bytesPerSecond, clock);
  return {
    clock,
    async send(bytes, afterMs) {
      let arrive: (piece: IteratorResult<Uint8Array>) => void = () => undefined;
      const waiting = pace.wait(new Promise((resolve) => (arrive = resolve)));
      waiting.catch(() => undefined);
      clock.advance(afterMs);
      arrive({ done: false, value: new Uint8Array(bytes) });
      return ((await waiting).value as Uint8Array).length;
    },
  };
}

it("lets those go on who keep the rate on the average of ten seconds", async () => {
  const { send } = client(RATE);
  for (let i = 0; i < 30; i++) expect(await send(1.2 * RATE, 1000)).toBe(Math.floor(1.2 * RATE));
  // A burst, then nothing for most of a window.
  expect(await send(RATE * 10, 100)).toBe(RATE * 10);
  expect(await send(RATE * 10, 9800)).toBe(RATE * 10);
});

it("refuses those who do not, at the end of the window", async () => {
  const { clock, send } = client(RATE);
  for (let i = 0; i < 9; i++) await send(RATE / 2, 1000);
  const startedMs = clock.nowMs();
  await expect(send(RATE, 60_000)).rejects.toMatchObject({
    code: "upload_too_slow",
    status: 408,
    parameters: { bytesPerSecond: RATE },
  });
  expect(startedMs).toBe(9000);
});

it("does not count the time in which nobody waits for the client", async () => {
  const { clock, send } = client(RATE);
  for (let i = 0; i < 5; i++) {
    await send(RATE, 900);
    clock.advance(60_000);
  }
  expect(await send(1, 0)).toBe(1);
});
