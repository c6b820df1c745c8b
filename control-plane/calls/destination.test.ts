import { describe, expect, it } from "vitest";
import { destinationRefusal } from "./destination.js";

const own = new Set(["+4930123456", "+14155550100"]);
const anywhere = { allow: [], deny: [] };

describe("a destination", () => {
  it.each([
    ["+4930987654", null],
    ["+12125550100", null],
    ["+442079460000", null],
    ["+4930123456", "self_call_blocked"],
    ["+14155550100", "self_call_blocked"],
    ["030987654", "destination_invalid"],
    ["+030987654", "destination_invalid"],
    ["+49 30 987654", "destination_invalid"],
    ["+49309", "destination_invalid"],
    ["+4930987654\n", "destination_invalid"],
    ["+1234567890123456", "destination_invalid"],
    ["", "destination_invalid"],
    ["+19005550100", "premium_destination_blocked"],
    ["+499001234567", "premium_destination_blocked"],
    ["+449098790000", "premium_destination_blocked"],
    ["+881612345678", "premium_destination_blocked"],
    ["+979123456789", "premium_destination_blocked"],
  ])("%s is %s", (number, refusal) => {
    expect(destinationRefusal(number, own, anywhere)).toBe(refusal);
  });

  it("is called where a prefix allows it, and none denies it", () => {
    const rules = { allow: ["+49", "+1"], deny: ["+4930", "+1900"] };
    expect(destinationRefusal("+4989123456", own, rules)).toBeNull();
    expect(destinationRefusal("+4930987654", own, rules)).toBe("destination_not_allowed");
    expect(destinationRefusal("+442079460000", own, rules)).toBe("destination_not_allowed");
    expect(destinationRefusal("+19005550100", own, rules)).toBe("premium_destination_blocked");
  });
});
