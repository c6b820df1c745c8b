import { expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { FORWARDED_CLAIM_MS, forwardedRequestSubject } from "#protocol/bus/control";
import { claimed } from "./claimed-request.js";

it("claims a request that takes long until a moment after its answer", async () => {
  const [bus, clock] = [new LocalBus(), new VirtualClock()];
  let answer: (value: string) => void = () => undefined;
  const done = claimed({ bus, clock, log: createLogger("test", "fatal") }, { requestId: "r" }, () => {
    return new Promise<string>((resolve) => {
      answer = resolve;
    });
  });
  const isClaimed = (): Promise<boolean> => bus.isAnswered(forwardedRequestSubject("r"));
  expect(await isClaimed()).toBe(false);
  clock.advance(FORWARDED_CLAIM_MS);
  expect(await isClaimed()).toBe(true);
  clock.advance(300_000);
  answer("done");
  // The edge may ask while the answer is on its way.
  expect([await done, await isClaimed()]).toEqual(["done", true]);
  clock.advance(1000);
  expect(await isClaimed()).toBe(false);
});
