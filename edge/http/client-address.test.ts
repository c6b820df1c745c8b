import { expect, it } from "vitest";
import { clientAddressBehind } from "./client-address.js";

it.each<[string, string | undefined, string[], string]>([
  ["203.0.113.7", undefined, [], "203.0.113.7"],
  ["203.0.113.7", "198.51.100.1", [], "203.0.113.7"],
  ["203.0.113.7", "198.51.100.1", ["10.0.0.0/8"], "203.0.113.7"],
  ["10.1.2.3", "198.51.100.1", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.1.2.3", "192.0.2.66, 198.51.100.1, 10.9.9.9", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.1.2.3", "198.51.100.1, nonsense", ["10.0.0.0/8"], "10.1.2.3"],
  ["10.1.2.3", "198.51.100.1:4711", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.1.2.3", "[2001:db8::1]:4711", ["10.0.0.0/8"], "2001:db8::1"],
  ["0000:0000:0000:0000:0000:ffff:7f00:0001", "198.51.100.1", ["127.0.0.1"], "198.51.100.1"],
  ["10.1.2.3", "10.0.0.1, ".repeat(1000), ["10.0.0.0/8"], "10.1.2.3"],
])("reads the client of a connection from %s with %s behind %o", (peer, forwardedFor, proxies, expected) => {
  expect(clientAddressBehind(proxies)(peer, forwardedFor)).toBe(expected);
});

it("refuses what is no address", () => {
  expect(() => clientAddressBehind(["proxy.lan"])).toThrow(/PARLEY_TRUSTED_PROXIES.*proxy\.lan/);
});
