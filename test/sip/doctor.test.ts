import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { dispose } from "@livekit/rtc-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type LiveKitSip, openLiveKitSip } from "#common/livekit/livekit-sip";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit } from "../harness/livekit.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { type PhoneNetwork, startPhoneNetwork } from "./phone-network.js";
import { echoes, isBusy } from "./telephone/behaviour.js";

interface Report {
  exitCode: number;
  findings: { subject: string; state: string; detail: string }[];
}

/** A program of its own: it unloads LiveKit's native library, which the stand-in needs here. */
const program = join(import.meta.dirname, "../../cli/run.js");

/** What `parley doctor phone` says. */
async function doctorPhone(
  access: { url: string; apiKey: string; apiSecret: string },
  ...args: string[]
): Promise<Report> {
  const directory = temporaryDirectory("doctor-phone");
  onTestFinished(directory.remove);
  const settings = { LIVEKIT_URL: access.url, LIVEKIT_API_KEY: access.apiKey, LIVEKIT_API_SECRET: access.apiSecret };
  const child = spawn(process.execPath, [program, "doctor", "phone", "--json", ...args], {
    env: { PATH: process.env.PATH, PARLEY_DATA_DIR: directory.path, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const printed = await text(child.stdout);
  const [exitCode]: unknown[] = await ended;
  return { exitCode: Number(exitCode), findings: JSON.parse(printed) };
}

describe.skipIf(!canRunLiveKit)("parley doctor phone", () => {
  let network: PhoneNetwork;
  let lines: LiveKitSip;
  const ask = (...args: string[]): Promise<Report> => doctorPhone(network.liveKit, ...args);

  beforeAll(async () => {
    network = await startPhoneNetwork();
    lines = openLiveKitSip(network.liveKit);
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await network?.stop();
    await dispose();
  });

  const inbound = {
    name: "museum",
    allowedAddresses: ["203.0.113.0/24"],
    authUsername: "",
    authPassword: "",
    metadata: "",
  };
  const outbound = { name: "museum", authUsername: "", authPassword: "", metadata: "" };
  const addOutbound = async (change: { address: string; transport?: "udp" | "tcp" }): Promise<void> => {
    const id = await lines.saveOutboundTrunk(null, { ...outbound, numbers: ["+4930123"], transport: "udp", ...change });
    onTestFinished(() => lines.deleteTrunk(id));
  };

  it("says which numbers somebody answers, and finds LiveKit SIP", async () => {
    const answered = await lines.saveInboundTrunk(null, { ...inbound, numbers: ["+4930123"] });
    const unbound = await lines.saveInboundTrunk(null, { ...inbound, numbers: ["+4930124"] });
    const ruleId = await lines.saveDispatchRule(null, {
      ...{ name: "museum", trunkIds: [answered, "ST_gone"], roomPrefix: "phone-", attributes: {}, metadata: "" },
    });
    const { exitCode, findings } = await ask("--sip", network.standIn.address);
    await Promise.all([lines.deleteTrunk(answered), lines.deleteTrunk(unbound), lines.deleteDispatchRule(ruleId)]);
    expect(findings).toMatchObject([
      { subject: "LiveKit's SIP service", state: "ok" },
      { subject: "phone lines", state: "ok", detail: "calls come by 2 trunks and leave by 0 trunks" },
      ...["+4930123", "+4930124"].map((number) => ({
        subject: `calls to ${number}`,
        state: number.endsWith("3") ? "ok" : "optional",
      })),
      { subject: "rule museum", state: "missing" },
      { subject: "LiveKit SIP", state: "ok", detail: `${network.standIn.address} over UDP answers 200 OK` },
      { subject: "a call", state: "optional" },
    ]);
    expect(exitCode).toBe(1);
  });

  it("asks the hosts of trunks, over what they say", async () => {
    const tcp: Server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end("SIP/2.0 405 Method Not Allowed\r\n\r\n"));
    });
    await once(tcp.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void tcp.close());
    const address = tcp.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await addOutbound({ address: network.carrier.address });
    await addOutbound({ address: `127.0.0.1:${port}`, transport: "tcp" });
    const reachable = await ask();
    expect(reachable.exitCode).toBe(0);
    expect(reachable.findings.map(({ state, detail }) => `${state}: ${detail}`)).toEqual(
      expect.arrayContaining([
        `ok: ${network.carrier.address} over UDP answers 200 OK`,
        `ok: 127.0.0.1:${port} over TCP answers 405 Method Not Allowed`,
        "optional: not tried",
      ]),
    );
    await addOutbound({ address: "127.0.0.1:9" });
    const { exitCode, findings } = await ask();
    expect(exitCode).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        ...{ subject: "trunk 127.0.0.1:9", state: "missing", detail: "127.0.0.1:9 over UDP: nobody takes SIP there" },
      }),
    );
  });

  it("calls an echo and hears itself again; and says so where it does not, or nobody answers", async () => {
    await addOutbound({ address: network.carrier.address });
    const { carrier } = network;
    carrier.script("+4930777", echoes());
    const echo = await ask("--call", "+4930777", "--from", "+4930123");
    expect(echo.findings.at(-1)).toMatchObject({ subject: "a call from +4930123 to +4930777", state: "ok" });
    expect(echo.exitCode).toBe(0);
    expect(await carrier.calls.at(-1)?.ended).toBe("remote");
    carrier.script("+4930778", isBusy());
    expect((await ask("--call", "+4930778")).findings.at(-1)).toMatchObject({
      ...{ state: "missing", detail: "not answered: 486 Busy Here" },
    });
    expect((await ask("--call", "+4930778", "--from", "+4930999")).findings.at(-1)).toMatchObject({
      ...{ state: "missing", detail: "+4930999 has no termination" },
    });
  });

  it("says that a server without Redis has no SIP", async () => {
    const alone = await startLiveKit();
    onTestFinished(alone.stop);
    expect(await doctorPhone(alone)).toMatchObject({
      ...{ exitCode: 1, findings: [{ subject: "LiveKit's SIP service", state: "missing" }] },
    });
  });
});
