import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import {
  controlSubjects,
  FORWARDED_CLAIM_MS,
  type ForwardedRequest,
  type ForwardedResponse,
  forwardedRequestSubject,
} from "#protocol/bus/control";
import { askForwarded } from "./ask-forwarded.js";

let bus: LocalBus;
let clock: VirtualClock;
/** What control planes took, and how each is answered. */
let taken: { request: ForwardedRequest; answer: (body: string) => void; die: () => void }[];

beforeEach(() => {
  bus = new LocalBus();
  clock = new VirtualClock();
  taken = [];
  bus.respond<ForwardedRequest, ForwardedResponse>(
    controlSubjects.http,
    (request) =>
      new Promise((resolve) => {
        const claim = bus.respond(forwardedRequestSubject(request.requestId ?? ""), async () => ({}));
        const answer = (body: string): void => resolve({ status: 200, headers: {}, body: Buffer.from(body) });
        taken.push({ request, answer, die: () => claim.unsubscribe() });
      }),
  );
});

const ask = async (method: string, timeoutMs = 310_000): Promise<string> => {
  const message = { method, path: "/", query: "", headers: {}, body: new Uint8Array(0), bodyObject: null };
  const { body } = await askForwarded({ bus, clock }, { ...message, principal: null }, timeoutMs);
  return Buffer.from(body).toString();
};

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(500);
    await nextTurn();
  }
}

describe("a request that is passed on", () => {
  it("is waited for as long as somebody is at work on it", async () => {
    const answer = ask("POST");
    await pass(300_000);
    taken[0]?.answer("done");
    expect([await answer, taken.length]).toEqual(["done", 1]);
  });

  it("is given up soon after the one who took it is gone", async () => {
    const refused = expect(ask("POST")).rejects.toMatchObject({
      code: "dependency_unavailable",
      status: 503,
      message: "The control plane is briefly unavailable",
    });
    await pass(20_000);
    taken[0]?.die();
    await pass(3000);
    await refused;
    expect(taken).toHaveLength(1);
  });

  it("is asked of another one where it only reads, once", async () => {
    const answer = ask("GET");
    await pass(FORWARDED_CLAIM_MS);
    taken[0]?.die();
    await pass(10_000);
    expect(taken).toHaveLength(2);
    expect(taken[1]?.request.requestId).not.toBe(taken[0]?.request.requestId);
    taken[1]?.answer("read");
    expect(await answer).toBe("read");

    const refused = expect(ask("GET")).rejects.toMatchObject({ code: "dependency_unavailable" });
    for (let index = 2; index < 4; index++) {
      taken[index]?.die();
      await pass(10_000);
    }
    await refused;
    expect(taken).toHaveLength(4);
  });

  it("asks nobody once it is answered", async () => {
    const answer = ask("GET");
    taken[0]?.answer("read");
    await answer;
    taken[0]?.die();
    await pass(60_000);
    expect(taken).toHaveLength(1);
  });
});
