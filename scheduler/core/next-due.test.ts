import { describe, expect, it } from "vitest";
import { submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

/** A worker with one slot that speaks a chunk of ten characters, which the fixtures let sound for 650 ms. */
function speaking(): CoreHarness {
  const harness = new CoreHarness();
  harness.send(
    { type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) },
    submit({ stream: "brief", size: 10, following: { size: 100, isAll: true } }),
    submit({ stream: "other", index: 1, slackMs: 2000 }),
  );
  return harness;
}

describe("the chunk after one that is spoken", () => {
  it("is due when that has been played, though the edge guessed that it would sound longer", () => {
    const harness = speaking();
    harness.send(submit({ stream: "brief", index: 1, slackMs: 4000 }));
    harness.finish();
    expect(harness.drainInOrder()).toEqual(["brief/0", "brief/1", "other/1"]);
  });

  it("is due when the edge says where that is sooner", () => {
    const harness = speaking();
    harness.send(
      submit({ stream: "brief", index: 1, slackMs: 600 }),
      submit({ stream: "soon", index: 1, slackMs: 620 }),
    );
    harness.finish();
    expect(harness.drainInOrder()).toEqual(["brief/0", "brief/1", "soon/1", "other/1"]);
  });

  it("counts from the chunks before, one after the other, as far as they are known", () => {
    const harness = speaking();
    harness.send(
      submit({ stream: "brief", index: 1, size: 10, slackMs: 4000 }),
      submit({ stream: "brief", index: 2, slackMs: 8000 }),
      submit({ stream: "between", index: 1, slackMs: 1200 }),
      submit({ stream: "after", index: 1, slackMs: 1400 }),
    );
    for (let count = 0; count < 5; count += 1) harness.finish();
    expect(harness.dispatched()).toEqual(["brief/0", "brief/1", "between/1", "brief/2", "after/1", "other/1"]);
  });

  it("keeps its time where the text came after the player had run dry", () => {
    const harness = speaking();
    harness.advance(700);
    harness.send(submit({ stream: "brief", index: 1, slackMs: 4000 }));
    harness.finish();
    expect(harness.drainInOrder()).toEqual(["brief/0", "other/1", "brief/1"]);
  });
});
