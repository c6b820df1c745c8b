import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { runtimeThereSubject } from "#protocol/bus/conversation";
import { HEARTBEAT_INTERVAL_MS, type Heartbeat, membersSubject } from "#protocol/bus/membership";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { followRuntimes } from "./start.js";

const runtime: Heartbeat = {
  ...{ type: "heartbeat", role: "agent", id: "r", epoch: "1", state: "ready" },
  ...{ places: 1, sessions: [] },
};

/** How long after its last heartbeat a runtime is lost; null where it is not within three seconds. */
async function lostAfterMs({ isThere }: { isThere: boolean }): Promise<number | null> {
  const [bus, clock] = [new LocalBus(), new VirtualClock()];
  const followed = followRuntimes({ bus, clock, log: createLogger("test", "fatal") });
  let lostMs: number | null = null;
  followed.onLost(() => {
    lostMs = clock.nowMs();
  });
  if (isThere) bus.respond(runtimeThereSubject("r"), async () => ({}));
  bus.publish(membersSubject, runtime);
  for (let beat = 0; beat < 12 && lostMs === null; beat++) {
    clock.advance(HEARTBEAT_INTERVAL_MS);
    await nextTurn();
  }
  followed.stop();
  return lostMs;
}

it("misses a runtime within a second whose process is gone, and one that is merely silent later", async () => {
  expect(await lostAfterMs({ isThere: false })).toBe(750);
  expect(await lostAfterMs({ isThere: true })).toBe(1750);
});
