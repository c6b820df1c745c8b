import { describe, expect, it } from "vitest";
import { UnauthenticatedSockets } from "./unauthenticated-sockets.js";

const sockets = (): UnauthenticatedSockets => new UnauthenticatedSockets({ perAddress: 2, total: 3 });

describe("sockets without a key", () => {
  it("have a share of each address, which a customer's whole IPv6 block is", () => {
    const places = sockets();
    const leave = places.take("2001:db8::1");
    places.take("2001:db8::2");
    expect(() => places.check("2001:db8::3")).toThrow(expect.objectContaining({ code: "too_many_requests" }));
    expect(() => places.take("2001:db8::3")).toThrow(expect.objectContaining({ code: "too_many_requests" }));
    leave();
    leave();
    places.take("2001:db8::3");
    expect(() => places.check("2001:db8::1")).toThrow(expect.objectContaining({ code: "too_many_requests" }));
  });

  it("are bounded for all addresses together", () => {
    const places = sockets();
    places.take("192.0.2.1");
    places.take("192.0.2.2");
    const leave = places.take("192.0.2.3");
    expect(() => places.check("192.0.2.4")).toThrow(expect.objectContaining({ code: "overloaded" }));
    leave();
    places.take("192.0.2.4");
    expect(() => places.check("192.0.2.5")).toThrow(expect.objectContaining({ code: "overloaded" }));
  });
});
