import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#common/log";
import { createOutbound, type Outbound } from "#common/outbound/outbound";
import { bypassCases } from "./bypass-cases.js";
import { type DnsBehaviour, type DnsServer, startDnsServer } from "./dns-server.js";

const PUBLIC = "93.184.216.34";
const PUBLIC_V6 = "2606:2800:220:1:248:1893:25c8:1946";
const NXDOMAIN = 3;

/** Names that resolve to what they should not, by what the guard must say. */
const names: Readonly<Record<string, { behaviour: DnsBehaviour; reason: string }>> = {
  "private4.hooks.dev": { behaviour: { addresses: ["10.1.2.3"] }, reason: "private_address" },
  "loopback4.hooks.dev": { behaviour: { addresses: ["127.0.0.1"] }, reason: "private_address" },
  "metadata.hooks.dev": { behaviour: { addresses: ["169.254.169.254"] }, reason: "private_address" },
  "azure.hooks.dev": { behaviour: { addresses: ["168.63.129.16"] }, reason: "private_address" },
  "zero.hooks.dev": { behaviour: { addresses: ["0.0.0.0"] }, reason: "private_address" },
  "mixed.hooks.dev": { behaviour: { addresses: [PUBLIC, "10.0.0.1"] }, reason: "private_address" },
  "mixed-last.hooks.dev": {
    behaviour: { addresses: [PUBLIC, "8.8.8.8", "1.1.1.1", "192.168.1.1"] },
    reason: "private_address",
  },
  "public4-private6.hooks.dev": { behaviour: { addresses: [PUBLIC, "fd00::1"] }, reason: "private_address" },
  "private6.hooks.dev": { behaviour: { addresses: ["fd00:ec2::254"] }, reason: "private_address" },
  "loopback6.hooks.dev": { behaviour: { addresses: ["::1"] }, reason: "private_address" },
  "mapped.hooks.dev": { behaviour: { addresses: ["::ffff:7f00:1"] }, reason: "private_address" },
  "compatible.hooks.dev": { behaviour: { addresses: ["::7f00:1"] }, reason: "private_address" },
  "nat64.hooks.dev": { behaviour: { addresses: ["64:ff9b::a9fe:a9fe"] }, reason: "private_address" },
  "sixtofour.hooks.dev": { behaviour: { addresses: ["2002:7f00:1::1"] }, reason: "private_address" },
  "alias.hooks.dev": {
    behaviour: { addresses: ["127.0.0.1"], alias: "internal.corp.example" },
    reason: "private_address",
  },
  "alias-mixed.hooks.dev": {
    behaviour: { addresses: [PUBLIC, "172.16.0.9"], alias: "other.example.net" },
    reason: "private_address",
  },
  "missing.hooks.dev": { behaviour: { errorCode: NXDOMAIN }, reason: "unresolvable" },
  "empty.hooks.dev": { behaviour: { addresses: [] }, reason: "unresolvable" },
  "servfail.hooks.dev": { behaviour: { errorCode: 2 }, reason: "unresolvable" },
  "refused.hooks.dev": { behaviour: { errorCode: 5 }, reason: "unresolvable" },
};

let dns: DnsServer;
let outbound: Outbound;
const dialled: string[] = [];

beforeAll(async () => {
  dns = await startDnsServer((name, family) => {
    const known = names[name];
    if (known !== undefined) return known.behaviour;
    if (name === "never.hooks.dev" || name === "garbage.hooks.dev")
      return name.startsWith("never") ? { silent: true } : { garbage: true };
    // One family answers, the other one never: what was not heard might be private.
    if (name === "half.hooks.dev") return family === 4 ? { addresses: [PUBLIC] } : { silent: true };
    if (name === "half-broken.hooks.dev") return family === 4 ? { addresses: [PUBLIC] } : { errorCode: 2 };
    if (name === "slow.hooks.dev") return { addresses: [PUBLIC], afterMs: 5000 };
    if (name === "dual.hooks.dev") return { addresses: [PUBLIC, PUBLIC_V6] };
    return { addresses: [PUBLIC] };
  });
  outbound = createOutbound({
    allow: [],
    log: createLogger("test", "fatal"),
    dnsServers: [dns.address],
    dial: (address) => {
      dialled.push(address);
      throw new Error("nothing may be dialled here");
    },
  });
});

afterAll(() => dns.close());

const send = (url: string): Promise<unknown> =>
  outbound.request({ method: "GET", url, timeoutMs: 10_000, maxResponseBytes: 1000 });

describe("the bypass list", () => {
  it("has at least 120 rows, each once", () => {
    expect(bypassCases.length).toBeGreaterThanOrEqual(120);
    expect(new Set(bypassCases.map(([url]) => url)).size).toBe(bypassCases.length);
  });

  it.each(bypassCases)("refuses %j: %s", async (url, reason) => {
    await expect(outbound.checkUrl(url)).rejects.toMatchObject({ name: "OutboundError", reason, refused: true });
    await expect(send(url)).rejects.toMatchObject({ name: "OutboundError", reason });
    expect(dialled).toEqual([]);
  });

  it.each(Object.entries(names))("refuses the name %s", async (name, { reason }) => {
    await expect(outbound.checkUrl(`https://${name}/hook`)).rejects.toMatchObject({ reason });
    await expect(send(`http://${name}:8080/`)).rejects.toMatchObject({ reason });
    expect(dialled).toEqual([]);
  });

  it("refuses a name of which one family is unknown", async () => {
    await expect(outbound.checkUrl("https://half-broken.hooks.dev/")).rejects.toMatchObject({ reason: "unresolvable" });
  });

  it.each(["never", "half", "slow", "garbage"])("gives up in time on the name server of %s", async (label) => {
    const began = performance.now();
    const attempt = outbound.request({
      method: "GET",
      url: `http://${label}.hooks.dev/`,
      timeoutMs: 300,
      maxResponseBytes: 10,
    });
    await expect(attempt).rejects.toMatchObject({ reason: expect.stringMatching(/timeout|unresolvable/) as unknown });
    expect(performance.now() - began).toBeLessThan(3000);
    expect(dialled).toEqual([]);
  });

  it("gives up in time when a URL is only checked", async () => {
    const began = performance.now();
    await expect(outbound.checkUrl("http://never.hooks.dev/")).rejects.toMatchObject({ reason: "dns_timeout" });
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe("this machine's own public address", () => {
  const ownAddresses = (): string[] => ["2606:4700::99", "93.184.216.34"];
  const careful = (): Outbound =>
    createOutbound({ allow: [], log: createLogger("test", "fatal"), dnsServers: [dns.address], ownAddresses });

  it.each([
    "http://[2606:4700::99]/",
    "http://[2606:4700:0:0::99]:8080/",
    "http://93.184.216.34/",
    "http://[::ffff:93.184.216.34]/",
    "http://public.hooks.dev/",
  ])("is refused as %s", async (url) => {
    await expect(careful().checkUrl(url)).rejects.toMatchObject({ reason: "private_address" });
  });

  it("leaves others alone", async () => {
    await expect(careful().checkUrl("http://[2606:4700::98]/")).resolves.toBeUndefined();
  });
});

describe("what may pass", () => {
  it.each([
    "https://public.hooks.dev/a?b=c#d",
    "http://public.hooks.dev:8080/",
    "https://PUBLIC.hooks.dev./",
    "https://münchen.hooks.dev/",
    "https://under_score.hooks.dev/",
    "https://dual.hooks.dev/",
    "https://1.1.1.1/",
    "https://[2606:4700:4700::1111]/",
    "https://public.hooks.dev/%2e%2e/a@b:c",
    "http://[::ffff:8.8.8.8]/",
  ])("accepts %s", async (url) => {
    await expect(outbound.checkUrl(url)).resolves.toBeUndefined();
  });
});
