import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { LookupLimits } from "./lookup-limits.js";

const bounds = { refusals: { burst: 3, perSecond: 1 }, underWayPerAddress: 2, inFlight: 3, addresses: 2 };

function bench() {
  const clock = new VirtualClock();
  const limits = new LookupLimits(bounds, clock);
  const ask = (address: string): ((wasRefused: boolean) => void) | null => {
    try {
      return limits.begin(address);
    } catch (error) {
      expect(error).toMatchObject({ code: "too_many_requests", retryable: true });
      return null;
    }
  };
  return { clock, ask };
}

describe("questions about unknown keys", () => {
  it("are few at once, for one address and for all", () => {
    const { ask } = bench();
    const first = ask("a");
    expect(ask("a")).not.toBeNull();
    expect(ask("a")).toBeNull();
    expect(ask("b")).not.toBeNull();
    expect(ask("b")).toBeNull();
    first?.(false);
    first?.(false);
    expect(ask("b")).not.toBeNull();
    expect(ask("a")).toBeNull();
  });

  it("that find wrong keys count against the address, others do not", () => {
    const { clock, ask } = bench();
    for (let good = 0; good < 20; good++) ask("a")?.(false);
    for (let wrong = 0; wrong < 3; wrong++) ask("a")?.(true);
    expect(ask("a")).toBeNull();
    expect(ask("b")).not.toBeNull();
    clock.advance(1000);
    ask("a")?.(true);
    expect(ask("a")).toBeNull();
  });

  it("are remembered for so many addresses", () => {
    const { ask } = bench();
    for (let wrong = 0; wrong < 3; wrong++) ask("a")?.(true);
    for (const other of ["b", "c"]) ask(other)?.(true);
    expect(ask("a")).not.toBeNull();
  });
});
