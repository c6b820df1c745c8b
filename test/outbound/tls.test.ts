import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#common/log";
import { createOutbound, type Outbound } from "#common/outbound/outbound";
import { testCertificate, testCertificateKey } from "./certificate.js";
import { type DnsServer, startDnsServer } from "./dns-server.js";

let dns: DnsServer;
let seen: { host: string | undefined; serverName: unknown }[] = [];
const server = createServer({ cert: testCertificate, key: testCertificateKey }, (request, response) => {
  seen.push({
    host: request.headers.host,
    serverName: "servername" in request.socket ? request.socket.servername : null,
  });
  response.end("secure");
});
let port = 0;

beforeAll(async () => {
  dns = await startDnsServer(() => ({ addresses: ["127.0.0.1"] }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  return dns.close();
});

function outbound(certificateAuthorities: readonly string[]): Outbound {
  return createOutbound({
    allow: ["127.0.0.1"],
    log: createLogger("test", "fatal"),
    dnsServers: [dns.address],
    certificateAuthorities,
  });
}

const get = (door: Outbound, host: string): ReturnType<Outbound["request"]> =>
  door.request({ method: "GET", url: `https://${host}:${port}/`, timeoutMs: 5000, maxResponseBytes: 100 });

describe("https through the guard", () => {
  it("goes to the pinned address with the name of the URL, for SNI and Host", async () => {
    seen = [];
    const response = await get(outbound([testCertificate]), "public.hooks.dev");
    expect(Buffer.from(response.body).toString()).toBe("secure");
    expect(seen).toEqual([{ host: `public.hooks.dev:${port}`, serverName: "public.hooks.dev" }]);
  });

  it("checks an address's certificate against the address", async () => {
    expect((await get(outbound([testCertificate]), "127.0.0.1")).status).toBe(200);
  });

  it("refuses a certificate of another name, and one that nobody trusts", async () => {
    await expect(get(outbound([testCertificate]), "other.hooks.dev")).rejects.toMatchObject({ reason: "tls_failed" });
    await expect(get(outbound([]), "public.hooks.dev")).rejects.toMatchObject({ reason: "tls_failed" });
  });
});
