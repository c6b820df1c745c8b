import { describe, expect, it } from "vitest";
import { formatTraceparent, joinTrace } from "./traceparent.js";

const trace = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";

/**
 * Cases after https://www.w3.org/TR/trace-context/ sections 3.2 and 4; `joins` is whether the caller's trace is joined.
 */
const vectors: [name: string, header: string | undefined, joins: boolean][] = [
  ["a sampled trace", `00-${trace}-${parent}-01`, true],
  ["an unsampled trace", `00-${trace}-${parent}-00`, true],
  ["flags with bits of later levels", `00-${trace}-${parent}-ff`, true],
  ["the random flag", `00-${trace}-${parent}-03`, true],
  ["unknown flags only", `00-${trace}-${parent}-fe`, true],
  ["a trace id that begins with zeros", `00-0000000000000000${trace.slice(16)}-${parent}-01`, true],
  ["a parent id of one set bit", `00-${trace}-0000000000000001-01`, true],
  ["a trace id of one set bit", `00-00000000000000000000000000000001-${parent}-01`, true],
  ["the highest ids", `00-${"f".repeat(32)}-${"f".repeat(16)}-01`, true],
  ["a later version", `cc-${trace}-${parent}-01`, true],
  ["a later version with more fields", `cc-${trace}-${parent}-01-what-the-future-will-be-like`, true],
  ["a later version with an empty last field", `cc-${trace}-${parent}-01-`, true],
  ["version 01", `01-${trace}-${parent}-01`, true],
  ["version fe", `fe-${trace}-${parent}-00`, true],
  ["no header", undefined, false],
  ["an empty header", "", false],
  ["a word", "hello", false],
  ["dashes only", "---", false],
  ["the forbidden version", `ff-${trace}-${parent}-01`, false],
  ["the forbidden version with more fields", `ff-${trace}-${parent}-01-x`, false],
  ["version 00 with more fields", `00-${trace}-${parent}-01-what`, false],
  ["version 00 with a trailing dash", `00-${trace}-${parent}-01-`, false],
  ["a later version without the dash", `cc-${trace}-${parent}-01.what`, false],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${parent}-01`, false],
  ["a parent id of zeros", `00-${trace}-${"0".repeat(16)}-01`, false],
  ["both ids zeros", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`, false],
  ["an upper-case trace id", `00-${trace.toUpperCase()}-${parent}-01`, false],
  ["an upper-case parent id", `00-${trace}-${parent.toUpperCase()}-01`, false],
  ["an upper-case version", `CC-${trace}-${parent}-01`, false],
  ["upper-case flags", `00-${trace}-${parent}-0A`, false],
  ["a short trace id", `00-${trace.slice(1)}-${parent}-01`, false],
  ["a long trace id", `00-${trace}0-${parent}-01`, false],
  ["a short parent id", `00-${trace}-${parent.slice(1)}-01`, false],
  ["a long parent id", `00-${trace}-${parent}0-01`, false],
  ["short flags", `00-${trace}-${parent}-1`, false],
  ["long flags", `00-${trace}-${parent}-001`, false],
  ["a short version", `0-${trace}-${parent}-01`, false],
  ["a long version", `000-${trace}-${parent}-01`, false],
  ["letters that are not hex", `00-${trace.replace("a", "g")}-${parent}-01`, false],
  ["another separator", `00_${trace}_${parent}_01`, false],
  ["no flags", `00-${trace}-${parent}`, false],
  ["a missing parent id", `00-${trace}--01`, false],
  ["space before", ` 00-${trace}-${parent}-01`, false],
  ["space after", `00-${trace}-${parent}-01 `, false],
  ["a line break after", `00-${trace}-${parent}-01\n`, false],
  ["two headers", `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`, false],
];

describe("joinTrace", () => {
  it.each(vectors)("%s", (_name, header, joins) => {
    const context = joinTrace(header);
    expect(context.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(context.spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
    expect(joins ? context.traceId === header?.split("-")[1] : !(header ?? "").includes(context.traceId)).toBe(true);
    expect(context.spanId).not.toBe(parent);
  });

  it.each([
    ["00", false],
    ["01", true],
    ["02", false],
    ["03", true],
    ["fe", false],
    ["ff", true],
  ])("reads the sampled bit of %s", (flags, sampled) => {
    expect(joinTrace(`00-${trace}-${parent}-${flags}`).sampled).toBe(sampled);
  });

  it("starts a different trace each time, sampled", () => {
    const [one, two] = [joinTrace(undefined), joinTrace(undefined)];
    expect(one.traceId).not.toBe(two.traceId);
    expect(one.sampled).toBe(true);
  });

  it("gives a header that the next hop joins", () => {
    const context = joinTrace(undefined);
    expect(joinTrace(formatTraceparent(context)).traceId).toBe(context.traceId);
    expect(formatTraceparent({ ...context, sampled: false })).toBe(`00-${context.traceId}-${context.spanId}-00`);
  });
});
