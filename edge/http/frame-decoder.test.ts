import { afterAll, describe, expect, it } from "vitest";
import { encodeMsgpack } from "#protocol/msgpack";
import { closeBodyDecoder } from "#common/http/body-decoder";
import { FrameDecoder } from "./frame-decoder.js";

afterAll(() => closeBodyDecoder());

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const large = (name: string): Uint8Array => json({ name, text: "x".repeat(100_000) });

function bench(encoding: "json" | "msgpack" = "json") {
  const seen: unknown[] = [];
  const decoder = new FrameDecoder({
    encoding,
    maxFrameBytes: 1_000_000,
    onFrame: (value) => void seen.push((value as { name: string }).name),
    onError: ({ code }) => void seen.push(code),
  });
  return {
    decoder,
    seen,
    until: (count: number) => expect.poll(() => seen.length, { timeout: 20_000, interval: 2 }).toBe(count),
  };
}

describe("frames of a socket", () => {
  it("are given in the order in which they came, small ones at once where none is before them", async () => {
    const { decoder, seen, until } = bench();
    decoder.push(json({ name: "a" }));
    expect(seen).toEqual(["a"]);
    for (const frame of [large("b"), json({ name: "c" }), Buffer.from("{"), large("d"), json({ name: "e" })])
      decoder.push(frame);
    decoder.afterFrames(() => seen.push("after"));
    decoder.push(json({ name: "f" }));
    expect(seen).toEqual(["a"]);
    await until(8);
    expect(seen).toEqual(["a", "b", "c", "malformed_json", "d", "e", "after", "f"]);
    decoder.push(json({ name: "g" }));
    decoder.afterFrames(() => seen.push("at once"));
    expect(seen.slice(8)).toEqual(["g", "at once"]);
  });

  it("may wait up to a bound", async () => {
    const { decoder, seen, until } = bench("msgpack");
    const frame = (): Uint8Array => encodeMsgpack({ name: "x", audio: new Uint8Array(900_000) });
    for (let count = 0; count < 7; count++) decoder.push(frame());
    expect(seen).toEqual(["payload_too_large", "payload_too_large"]);
    await until(7);
    decoder.push(frame());
    await until(8);
    expect(seen.slice(2)).toEqual(["x", "x", "x", "x", "x", "x"]);
  });

  it("are not given once the session is over", async () => {
    const { decoder, seen } = bench();
    decoder.push(large("a"));
    decoder.stop();
    decoder.push(json({ name: "b" }));
    const another = bench();
    another.decoder.push(large("c"));
    await another.until(1);
    expect(seen).toEqual([]);
  });
});
