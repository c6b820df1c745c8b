import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import type { ErrorCode, ServiceError } from "#protocol/errors";
import { fieldValues, filesNamed, type Form } from "./form.js";
import { isMultipart, type MultipartLimits, parseMultipart } from "./multipart.js";
import { parseUrlencoded } from "./urlencoded.js";

const limits: MultipartLimits = {
  files: 3,
  fileBytes: 1000,
  fields: 4,
  fieldBytes: 100,
  totalBytes: 3500,
  fileFields: ["voices"],
};
const type = "multipart/form-data; boundary=XX";

interface Part {
  head: string;
  body: Uint8Array | string;
}

function bodyOf(parts: Part[], end = "--XX--\r\n"): Buffer {
  const pieces = parts.flatMap(({ head, body }) => [
    Buffer.from(`--XX\r\n${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

const field = (name: string, body: string): Part => ({ head: `Content-Disposition: form-data; name="${name}"`, body });
const file = (name: string, body: Uint8Array | string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="a.wav"\r\nContent-Type: audio/wav`,
  body,
});

async function* pieces(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += size) yield body.subarray(at, at + size);
}

const codeOf = (promise: Promise<Form>): Promise<ErrorCode | null> =>
  promise.then(
    () => null,
    (error: ServiceError) => error.code,
  );

describe("parseMultipart", () => {
  it("gives fields and files in order, repeated names kept", async () => {
    const form = await parseMultipart(
      type,
      bodyOf([field("tags", "x"), file("voices", "one"), field("tags", "é"), file("voices", "")]),
      limits,
    );
    expect(fieldValues(form, "tags")).toEqual(["x", "é"]);
    expect(filesNamed(form, "voices").map((item) => Buffer.from(item.bytes).toString())).toEqual(["one", ""]);
    expect(form.files[0]).toMatchObject({ filename: "a.wav", contentType: "audio/wav" });
  });

  it("takes a part for a file by its name where the client gave no file name", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const form = await parseMultipart(
      type,
      bodyOf([{ head: 'Content-Disposition: form-data; name="voices"', body: bytes }]),
      limits,
    );
    expect(Uint8Array.from(form.files[0]?.bytes ?? [])).toEqual(bytes);
  });

  it("does not depend on how the body was split", async () => {
    const bodies = fc.array(
      fc.oneof(
        fc.record({
          name: fc.constantFrom("a", "b"),
          text: fc.string({ maxLength: 30 }).map((text) => text.replace(/--XX/g, "")),
        }),
        fc.record({ name: fc.constantFrom("voices", "c"), bytes: fc.uint8Array({ maxLength: 200 }) }),
      ),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.integer({ min: 1, max: 50 }), async (items, size) => {
        const body = bodyOf(
          items.map((item) => ("text" in item ? field(item.name, item.text) : file(item.name, item.bytes))),
        );
        const whole = await parseMultipart(type, body, limits);
        const split = await parseMultipart(type, pieces(body, size), limits);
        const plain = (form: Form): unknown => ({
          ...form,
          files: form.files.map((item) => [item.name, Buffer.from(item.bytes).toString("hex")]),
        });
        expect(plain(split)).toEqual(plain(whole));
        expect(whole.fields.length + whole.files.length).toBe(items.length);
        const bytesSent = items.flatMap((item) => ("bytes" in item ? [Buffer.from(item.bytes).toString("hex")] : []));
        expect(whole.files.map((item) => Buffer.from(item.bytes).toString("hex"))).toEqual(bytesSent);
      }),
      { numRuns: howMany(100) },
    );
  });

  const whole = bodyOf([field("title", "t"), file("voices", "0123456789")]);
  const many = (count: number, part: (index: number) => Part): Buffer =>
    bodyOf(Array.from({ length: count }, (_, index) => part(index)));
  const broken: [string, string, Uint8Array, ErrorCode][] = [
    ["no boundary", "multipart/form-data", whole, "malformed_multipart"],
    ["an empty boundary", "multipart/form-data; boundary=", whole, "malformed_multipart"],
    ["another boundary", "multipart/form-data; boundary=YY", whole, "malformed_multipart"],
    ["an empty body", type, new Uint8Array(0), "malformed_multipart"],
    ["no parts", type, Buffer.from("--XX--\r\n"), "malformed_multipart"],
    ["random bytes", type, Buffer.from("hello"), "malformed_multipart"],
    [
      "a part without a disposition only",
      type,
      bodyOf([{ head: "Content-Type: text/plain", body: "x" }]),
      "malformed_multipart",
    ],
    [
      "a part without a name",
      type,
      bodyOf([{ head: "Content-Disposition: form-data", body: "x" }]),
      "malformed_multipart",
    ],
    [
      "a file without a name",
      type,
      bodyOf([{ head: 'Content-Disposition: form-data; filename="a"', body: "x" }]),
      "malformed_multipart",
    ],
    ["too many fields", type, many(5, () => field("a", "x")), "malformed_multipart"],
    ["too many files", type, many(4, () => file("a", "x")), "malformed_multipart"],
    ["a field too long", type, bodyOf([field("a", "x".repeat(101))]), "payload_too_large"],
    ["a file too large", type, bodyOf([file("a", "x".repeat(1001))]), "payload_too_large"],
    [
      "a body too large",
      type,
      many(6, (index) => (index % 2 === 0 ? file("a", "x".repeat(999)) : field("b", "x".repeat(100)))),
      "payload_too_large",
    ],
    ["bare line feeds", type, Buffer.from(whole.toString().replaceAll("\r\n", "\n")), "malformed_multipart"],
    [
      "a part header that never ends",
      type,
      Buffer.from(`--XX\r\nContent-Disposition: form-data; name="${"a".repeat(3000)}`),
      "malformed_multipart",
    ],
    ["another content type inside", "multipart/mixed; boundary=XX", whole, "malformed_multipart"],
  ];

  it.each(broken)("refuses %s", async (_name, contentType, body, code) => {
    expect(await codeOf(parseMultipart(contentType, body, limits))).toBe(code);
    expect(await codeOf(parseMultipart(contentType, pieces(body, 7), limits))).toBe(code);
  });

  it("refuses a body cut off anywhere before its last boundary is complete", async () => {
    for (let length = 0; length < whole.byteLength - 2; length++) {
      expect([length, await codeOf(parseMultipart(type, whole.subarray(0, length), limits))]).toEqual([
        length,
        "malformed_multipart",
      ]);
    }
  });

  it("ends on any bytes, with a form or a documented error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.byteLength - 1), fc.nat(255), async (at, value) => {
        const flipped = Buffer.from(whole);
        flipped[at] = value;
        expect([null, "malformed_multipart", "payload_too_large"]).toContain(
          await codeOf(parseMultipart(type, flipped, limits)),
        );
      }),
      { numRuns: howMany(300) },
    );
  });

  it("recognises its content type", () => {
    expect(
      ["multipart/form-data; boundary=a", "Multipart/Form-Data", " multipart/form-data ;boundary=a"].every(isMultipart),
    ).toBe(true);
    expect(["multipart/form-datax", "text/plain", undefined, ""].some(isMultipart)).toBe(false);
  });
});

describe("parseUrlencoded", () => {
  it("gives every pair in order, decoded", () => {
    expect(parseUrlencoded(Buffer.from("tags=a%26b&title=%C3%A9+x&tags="), 10).fields).toEqual([
      { name: "tags", value: "a&b" },
      { name: "title", value: "é x" },
      { name: "tags", value: "" },
    ]);
  });

  it("refuses too many pairs and bytes that are not UTF-8", () => {
    expect(() => parseUrlencoded(Buffer.from("a&".repeat(20)), 10)).toThrow("more than 10 fields");
    expect(() => parseUrlencoded(Uint8Array.of(0x61, 0x3d, 0xff), 10)).toThrow("not UTF-8");
  });
});
