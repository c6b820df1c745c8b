import { describe, expect, it } from "vitest";
import { parseAllowList } from "./allow-list.js";

describe("parseAllowList", () => {
  const allow = parseAllowList([
    "Hooks.Corp.lan",
    "receiver:9000",
    "10.1.0.0/16",
    "127.0.0.1:8080",
    "[::1]:7000",
    "fd00::/8",
    "192.168.0.7",
  ]);

  it.each([
    ["hooks.corp.lan", 443, true],
    ["hooks.corp.lan.evil.dev", 443, false],
    ["x.hooks.corp.lan", 443, false],
    ["receiver", 9000, true],
    ["receiver", 9001, false],
  ])("of the host %s on port %i says %s", (host, port, expected) => {
    expect(allow.allowsHost(host, port)).toBe(expected);
  });

  it.each([
    ["10.1.255.255", 80, true],
    ["10.2.0.0", 80, false],
    ["127.0.0.1", 8080, true],
    ["127.0.0.1", 8081, false],
    ["127.0.0.2", 8080, false],
    ["::1", 7000, true],
    ["::1", 7001, false],
    ["fd12::1", 1, true],
    ["::ffff:10.1.2.3", 1, true],
    ["192.168.0.7", 1, true],
  ])("of the address %s on port %i says %s", (address, port, expected) => {
    expect(allow.allowsAddress(address, port)).toBe(expected);
  });

  it("allows nothing when it is empty", () => {
    const none = parseAllowList([]);
    expect(none.allowsHost("localhost", 80) || none.allowsAddress("127.0.0.1", 80)).toBe(false);
  });

  const wrong = ["10.1.0.0/99", "10.0.0.300", "*", "*.corp.lan", "http://a.b", "a:0", "a:70000", "a b", "[host]:1", ""];
  it.each(wrong)("refuses the entry %j", (entry) => {
    expect(() => parseAllowList([entry])).toThrow("PARLEY_OUTBOUND_ALLOW");
  });
});
