import { BlockList, isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressGroup, canonicalAddress, isPublicAddress } from "./address.js";

/** A second opinion that shares no code with the first. */
const notPublic = { v4: new BlockList(), v6: new BlockList() };
for (const block of [
  ...[
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
  ],
  ...[
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
  ],
]) {
  const [address = "", bits = ""] = block.split("/");
  notPublic.v4.addSubnet(address, Number(bits), "ipv4");
}
for (const block of ["::/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "4000::/2", "8000::/1"]) {
  const [address = "", bits = ""] = block.split("/");
  notPublic.v6.addSubnet(address, Number(bits), "ipv6");
}

describe("isPublicAddress", () => {
  it("never calls public what node's own block list does not", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        if (isIPv4(address) && isPublicAddress(address)) expect(notPublic.v4.check(address, "ipv4")).toBe(false);
        const plain = isIPv6(address) && isIPv6(canonicalAddress(address) ?? "");
        if (plain && isPublicAddress(address)) expect(notPublic.v6.check(address, "ipv6")).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
  ])("takes %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "g::1",
    "8.8.8.8/0",
    " 8.8.8.8x",
    "::1%lo",
  ])("does not take %j", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

it("groups addresses as limits count them", () => {
  expect(addressGroup("203.0.113.7")).toBe("203.0.113.7");
  expect(addressGroup("::ffff:203.0.113.7")).toBe("203.0.113.7");
  expect(addressGroup("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:0db8:0001:0002::9")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("unknown")).toBe("unknown");
});
