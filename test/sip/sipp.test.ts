import { spawn } from "node:child_process";
import { once } from "node:events";
import { dispose } from "@livekit/rtc-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tone } from "#audio/testing/signals";
import { newIdentifier } from "#common/identifier";
import { findProgram } from "#launcher/find-program";
import { canRunLiveKit, inCi, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { findFreePorts } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { type PhoneNetwork, startPhoneNetwork } from "./phone-network.js";
import { RoomGuest } from "./room-guest.js";

const TRIES = 10;
const canCallSipp = canRunLiveKit && (inCi || findProgram("sipp", process.env.PATH) !== null);

describe.skipIf(!canCallSipp)("sipp, which is not ours, as the other end of a call", () => {
  let network: PhoneNetwork;
  beforeAll(async () => {
    network = await startPhoneNetwork();
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await network?.stop();
    await dispose();
  });

  /** Answers one call and sends its audio back. */
  const startSipp = async (): Promise<{ address: string; ended: Promise<unknown[]> }> => {
    const directory = temporaryDirectory("sipp");
    onTestFinished(directory.remove);
    const port = await findFreePorts(4);
    const places = ["-i", "127.0.0.1", "-p", String(port), "-mi", "127.0.0.1", "-mp", String(port + 2)];
    const args = ["-sn", "uas", "-rtp_echo", "-m", "1", "-nostdin", "-timeout", "60s", ...places];
    const child = spawn("sipp", args, { cwd: directory.path, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return { address: `127.0.0.1:${port}`, ended: once(child, "exit") };
  };

  it("answers, sends audio back, and takes the end of the call", async () => {
    const room = newIdentifier();
    const guest = await RoomGuest.join(network.liveKit, room);
    onTestFinished(() => guest.leave());
    await guest.openMicrophone();
    const sipp = await startSipp();
    const trunk = await network.sip.createSipOutboundTrunk("sipp", sipp.address, ["+4930123456"], { transport: 1 });
    await network.sip.createSipParticipant(trunk.sipTrunkId, "+493099", room, {
      ...{ participantIdentity: "callee", waitUntilAnswered: true, timeout: 30 },
    });
    for (let times = 0; times < TRIES && !guest.hasReceived(800); times++) await guest.speak(tone(800, 0.7, 16_000));
    expect(guest.hasReceived(800)).toBe(true);
    await network.rooms.removeParticipant(room, "callee");
    expect(await sipp.ended).toEqual([0, null]);
  });
});
