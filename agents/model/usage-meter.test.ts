import { describe, expect, it } from "vitest";
import { UsageMeter } from "./usage-meter.js";

const word = { choices: [{ delta: { content: "Hi" }, finish_reason: null }] };
const last = { choices: [{ delta: {}, finish_reason: "stop" }] };
const usage = (input: number, output: number) => ({
  choices: [],
  usage: { prompt_tokens: input, completion_tokens: output },
});

/** Reads an answer as the model's reader does: to the chunk that ends it, and no further. */
async function read(meter: UsageMeter, model: string, chunks: readonly object[]): Promise<object> {
  let sent: object = {};
  const client = meter.metered(
    {
      async *stream(body) {
        sent = body;
        yield* chunks;
      },
    },
    model,
  );
  for await (const chunk of client.stream({ model }, new AbortController().signal)) if (chunk === last) break;
  return sent;
}

describe("what a run costs", () => {
  it("is the sum of its requests, to the last digit", async () => {
    const meter = new UsageMeter({ a: { input: "2.5", output: "10" }, b: { input: "0.000001", output: "0" } });
    expect(meter.costUsd).toBe("0");
    expect(await read(meter, "a", [word, last, usage(1_000_000, 1)])).toEqual({
      model: "a",
      stream_options: { include_usage: true },
    });
    expect(meter.costUsd).toBe("2.50001");
    await read(meter, "b", [word, last, usage(1, 5)]);
    expect(meter.costUsd).toBe("2.500010000001");
  });

  it.each([
    ["the model has no price", "unknown", [word, last, usage(1, 1)]],
    ["nothing was counted", "a", [word, last]],
    ["it broke off", "a", [word]],
  ])("is unknown where %s", async (_, model, chunks) => {
    const meter = new UsageMeter({ a: { input: "1", output: "1" } });
    await read(meter, "a", [last, usage(1, 1)]);
    const sent = await read(meter, model, chunks);
    expect(meter.costUsd).toBeNull();
    expect("stream_options" in sent).toBe(model === "a");
  });
});
