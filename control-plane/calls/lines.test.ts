import { describe, expect, it } from "vitest";
import { findLine, numberOfRoom } from "./lines.js";

const id = "0123456789abcdef0123456789abcdef";
const room = `phone-${id}-_+4915112345678_Kx7`;
const caller = {
  identity: "sip_+4915112345678",
  attributes: {
    "sip.phoneNumber": "+4915112345678",
    "sip.trunkPhoneNumber": "+4930123456",
    "sip.callStatus": "ringing",
    "parley.phone_number_id": id,
  },
};

describe("a call that came in", () => {
  it("is read from its room", () => {
    expect(numberOfRoom(room)).toBe(id);
    for (const other of ["parley-1", "phone-x-1", `x-phone-${id}-1`, `phone-${id}`])
      expect(numberOfRoom(other)).toBeNull();
    expect(findLine(room, [{ identity: "agent-1", attributes: {} }, caller])).toEqual({
      ...{ room, phoneNumberId: id, identity: caller.identity },
      ...{ callerNumber: "+4915112345678", dialedNumber: "+4930123456" },
    });
  });

  it("is none without a caller, or with one of another number", () => {
    expect(findLine(room, [])).toBeNull();
    const attributes = { ...caller.attributes, "parley.phone_number_id": "other" };
    expect(findLine(room, [{ ...caller, attributes }])).toBeNull();
  });
});
