import { describe, expect, it } from "vitest";
import { CallerSeat, joinedAttribute } from "./caller-seat.js";

const withFirstToken = (sid: string) => ({ sid, attributes: {} });
const withRefreshedToken = (sid: string) => ({ sid, attributes: { [joinedAttribute]: "1" } });

describe("the caller's seat", () => {
  it("is taken once with the first token", () => {
    const seat = new CallerSeat(false);
    expect(seat.arrive(withFirstToken("a"))).toEqual({ isAdmitted: true, mark: true });
    expect(seat.leave("a")).toBe(true);
    expect(seat.arrive(withFirstToken("b"))).toEqual({ isAdmitted: false, mark: false });
    expect(seat.leave("b")).toBe(false);
  });

  it("is taken again with a token that the server sent into the room", () => {
    const seat = new CallerSeat(false);
    seat.arrive(withFirstToken("a"));
    seat.leave("a");
    expect(seat.arrive(withRefreshedToken("b"))).toEqual({ isAdmitted: true, mark: false });
    expect(seat.isHeldBy("b")).toBe(true);
    expect(seat.isHeldBy("a")).toBe(false);
  });

  it("is the caller's still when this side was away meanwhile", () => {
    const seat = new CallerSeat(false);
    seat.arrive(withFirstToken("a"));
    expect(seat.vacate()).toBe(true);
    expect(seat.vacate()).toBe(false);
    expect(seat.arrive(withFirstToken("a"))).toEqual({ isAdmitted: true, mark: true });
  });

  it("knows which stays are over, until one is seen again", () => {
    const seat = new CallerSeat(false);
    seat.arrive(withFirstToken("a"));
    expect(seat.isOver("a")).toBe(false);
    seat.vacate();
    expect(seat.isOver("a")).toBe(true);
    seat.arrive(withFirstToken("a"));
    expect(seat.isOver("a")).toBe(false);
    seat.leave("b");
    expect([seat.isOver("a"), seat.isOver("b")]).toEqual([false, false]);
    seat.leave("a");
    expect(seat.isOver("a")).toBe(true);
  });

  it("is nobody's who took the mark that was meant for another", () => {
    const seat = new CallerSeat(false);
    seat.arrive(withFirstToken("a"));
    seat.refuse("b");
    expect(seat.leave("a")).toBe(true);
    expect(seat.arrive(withRefreshedToken("b"))).toEqual({ isAdmitted: false, mark: false });
    expect(seat.isTaken).toBe(false);
  });

  it("knows from the conversation that the token was spent before", () => {
    const seat = new CallerSeat(true);
    expect(seat.arrive(withFirstToken("a"))).toEqual({ isAdmitted: false, mark: false });
    expect(seat.arrive(withRefreshedToken("b"))).toEqual({ isAdmitted: true, mark: false });
  });
});
