import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { VirtualClock } from "#common/clock";
import { gatewayProbe } from "./gateway-probe.js";

async function serve(answer: { status: number; body: string }) {
  let questions = 0;
  const server = createServer((_, response) => {
    questions += 1;
    response.writeHead(answer.status).end(answer.body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, questions: () => questions };
}

describe("the probe of the rooms' server", () => {
  it("says what there is", async () => {
    const clock = new VirtualClock();
    const live = await serve({ status: 200, body: "OK" });
    expect(await gatewayProbe(null, clock)()).toBe("none");
    expect(await gatewayProbe(live.url, clock)()).toBe("reachable");
    expect(await gatewayProbe("ws://127.0.0.1:9", clock)()).toBe("unreachable");
    for (const answer of [
      { status: 406, body: "Not Ready" },
      { status: 200, body: "<html>" },
    ])
      expect(await gatewayProbe((await serve(answer)).url, clock)()).toBe("unreachable");
  });

  it("asks once in five seconds, however often it is asked", async () => {
    const clock = new VirtualClock();
    const { url, questions } = await serve({ status: 200, body: "OK" });
    const probe = gatewayProbe(url, clock);
    await Promise.all([probe(), probe(), probe()]);
    clock.advance(4999);
    await probe();
    expect(questions()).toBe(1);
    clock.advance(1);
    await probe();
    expect(questions()).toBe(2);
  });
});
