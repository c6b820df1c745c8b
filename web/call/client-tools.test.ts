import { describe, expect, it } from "vitest";
import { ClientTools, type ToolCall } from "./client-tools.js";

const request = { callId: "1", toolName: "add", params: { a: 1 }, expectsResponse: true };
const read = (packet: Uint8Array | null): unknown =>
  packet === null ? null : (JSON.parse(new TextDecoder().decode(packet)) as unknown);
const nobody = (): void => undefined;

describe("the tools of a page", () => {
  it("answer with what they give, or with what they throw", async () => {
    const tools = new ClientTools();
    tools.register("add", async ({ a }) => ({ sum: Number(a) + 1 }));
    expect(read(await tools.run(request, nobody))).toEqual({
      type: "client_tool.result",
      callId: "1",
      result: { sum: 2 },
    });
    tools.register("add", () => {
      throw new Error("out of numbers");
    });
    expect(read(await tools.run(request, nobody))).toMatchObject({ result: "out of numbers", isError: true });
    expect(await tools.run({ ...request, expectsResponse: false }, nobody)).toBeNull();
  });

  it("fail where their answer has no form in JSON, or is too large", async () => {
    const tools = new ClientTools();
    tools.register("add", () => 1n);
    expect(read(await tools.run(request, nobody))).toMatchObject({ isError: true });
    tools.register("add", () => "a".repeat(70_000));
    expect(read(await tools.run(request, nobody))).toMatchObject({ isError: true });
  });

  it("are asked of listeners where they are not registered, who answer at once or by a promise", async () => {
    const tools = new ClientTools();
    const answering = (answer: unknown) => (call: ToolCall) => {
      call.respond(answer);
      call.respond("too late");
    };
    expect(read(await tools.run(request, answering(2)))).toMatchObject({ result: 2 });
    expect(read(await tools.run(request, answering(Promise.resolve(3))))).toMatchObject({ result: 3 });
    expect(read(await tools.run(request, answering(Promise.reject(new Error("no")))))).toMatchObject({ isError: true });
    expect(read(await tools.run(request, nobody))).toMatchObject({
      result: "the page has no tool named add",
      isError: true,
    });
  });

  it("are taken away by whoever registered them, and not by whom they were replaced for", async () => {
    const tools = new ClientTools();
    const removeFirst = tools.register("add", () => 1);
    const removeSecond = tools.register("add", () => 2);
    removeFirst();
    expect(read(await tools.run(request, nobody))).toMatchObject({ result: 2 });
    removeSecond();
    expect(read(await tools.run(request, nobody))).toMatchObject({ isError: true });
  });
});
