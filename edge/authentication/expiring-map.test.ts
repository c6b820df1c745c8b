import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { ExpiringMap } from "./expiring-map.js";

it("forgets an entry when its time is over", () => {
  const clock = new VirtualClock();
  const map = new ExpiringMap<string>(clock);
  map.set("a", "1", 100);
  clock.advance(99);
  expect(map.get("a")).toBe("1");
  clock.advance(1);
  expect(map.get("a")).toBeNull();
});

it("stays bounded, and keeps what is used", () => {
  const map = new ExpiringMap<number>(new VirtualClock());
  map.set("kept", 1, 1000);
  for (let index = 0; index < 30_000; index++) {
    map.set(`flood ${index}`, index, 1000);
    if (index % 1000 === 0) map.get("kept");
  }
  expect(map.size).toBe(10_000);
  expect(map.get("kept")).toBe(1);
});
