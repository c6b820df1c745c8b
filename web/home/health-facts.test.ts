import { describe, expect, it } from "vitest";
import { sayHealth } from "./health-facts.js";

describe("the health of a cluster in words", () => {
  it("counts its members, and what its queues and slots hold", () => {
    const load = { queued_chunks: 2, slots: 8, free_slots: 5 };
    const { isWell, facts } = sayHealth({
      status: "ok",
      draining: false,
      gateway: "none",
      schedulers: [{ id: "s", state: "ready", loads: [load, load] }],
      workers: [{ id: "w", state: "ready" }],
    });
    expect(isWell).toBe(true);
    expect(facts).toContainEqual(["Waiting chunks", "4"]);
    expect(facts).toContainEqual(["Busy slots", "6 of 16"]);
    expect(facts).toContainEqual(["Workers", "1"]);
    expect(facts).toContainEqual(["LiveKit", "None: agents cannot talk"]);
  });

  it("says no more than the server does where its details are the operator's", () => {
    expect(sayHealth({ status: "degraded", draining: false })).toEqual({
      isWell: false,
      headline: "Something is missing.",
      facts: [],
    });
    expect(sayHealth({ status: "ok", draining: true }).isWell).toBe(false);
  });
});
