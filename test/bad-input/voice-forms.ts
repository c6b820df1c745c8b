import { CANARY, type Case, error, type Expected, problem, success } from "./case.js";
import { goodSample } from "./samples.js";
import { bodyCase } from "./requests.js";

const create = { path: "/model" };
const change = { method: "PATCH", path: "/model/{voice}" };
const malformed = error("malformed_multipart");
const TYPE = "multipart/form-data; boundary=B";
const URLENCODED = "application/x-www-form-urlencoded";

interface Part {
  head: string;
  body: Uint8Array | string;
}

const field = (name: string, body: string): Part => ({ head: `Content-Disposition: form-data; name="${name}"`, body });
const file = (name: string, body: Uint8Array | string, filename = "a.wav"): Part => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream`,
  body,
});

function form(parts: Part[], end = "--B--\r\n"): Buffer {
  const pieces = parts.flatMap(({ head, body }) => [
    Buffer.from(`--B\r\n${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

/** A voice of `CANARY`, which is no recording: whatever is right about the form, no voice comes of it. */
const fields = [
  field("type", "tts"),
  field("train_mode", "fast"),
  field("title", CANARY),
  field("visibility", "private"),
];
const rubbish = file("voices", `${CANARY} is no recording`);
const unusable = error("bad_reference_audio");

/** RFC 7578 and RFC 2046 broken in their parts. */
const broken: [name: string, contentType: string, body: Uint8Array | string][] = [
  ["no boundary", "multipart/form-data", form([...fields, rubbish])],
  ["an empty boundary", "multipart/form-data; boundary=", form([...fields, rubbish])],
  ["another boundary", "multipart/form-data; boundary=other", form([...fields, rubbish])],
  ["a boundary of 5,000 characters", `multipart/form-data; boundary=${"b".repeat(5000)}`, form([...fields, rubbish])],
  ["no final boundary", TYPE, form([...fields, rubbish], "")],
  ["half a final boundary", TYPE, form([...fields, rubbish], "--B")],
  ["only the final boundary", TYPE, "--B--\r\n"],
  ["only a boundary", TYPE, "--B\r\n"],
  ["a boundary without hyphens", TYPE, form(fields).toString("latin1").replaceAll("--B", "B")],
  ["JSON", TYPE, '{"type":"tts"}'],
  ["a form", TYPE, "type=tts&title=x"],
  ["no line ends", TYPE, form(fields).toString("latin1").replaceAll("\r\n", "")],
  ["a part without a name", TYPE, form([...fields, { head: "Content-Disposition: form-data", body: "x" }, rubbish])],
  ["100 files", TYPE, form([...fields, ...Array<Part>(100).fill(rubbish)])],
  ["1,000 fields", TYPE, form([...Array<Part>(1000).fill(field("tags", "a")), rubbish])],
  ["100,000 empty parts", TYPE, Buffer.from(`${"--B\r\n\r\n\r\n".repeat(100_000)}--B--\r\n`)],
  ["zeros", TYPE, Buffer.alloc(100_000)],
  ["a megabyte of hyphens", TYPE, "-".repeat(1_000_000)],
  ["a megabyte of line ends", TYPE, "\r\n".repeat(500_000)],
];

const problems: [name: string, parts: Part[], expected: Expected[]][] = [
  ["no file", fields, problem("body", "voices")],
  ["no type", [...fields.slice(1), rubbish], problem("body", "type")],
  ["no title", [...fields.filter(({ body }) => body !== CANARY), rubbish], problem("body", "title")],
  ["an empty title", [...fields.slice(0, 2), field("title", ""), rubbish], problem("body", "title")],
  ["a title with a NUL", [...fields.slice(0, 2), field("title", "a\u0000b"), rubbish], problem("body", "title")],
  ["another type", [field("type", CANARY), ...fields.slice(1), rubbish], problem("body", "type")],
  ["the type twice, the last wrong", [...fields, field("type", "svc"), rubbish], problem("body", "type")],
  ["an unknown visibility", [...fields, field("visibility", CANARY), rubbish], problem("body", "visibility")],
  [
    "a boolean that is none",
    [...fields, field("enhance_audio_quality", CANARY), rubbish],
    problem("body", "enhance_audio_quality"),
  ],
  ["21 files", [...fields, ...Array<Part>(21).fill(rubbish)], [...problem("body", "voices"), ...malformed]],
  ["more texts than voices", [...fields, field("texts", "a"), field("texts", "b"), rubbish], problem("body", "texts")],
  [
    "65 tags",
    [...fields, ...Array.from({ length: 65 }, (_, index) => field("tags", `t${index}`)), rubbish],
    problem("body", "tags"),
  ],
  ["a tag of 65 characters", [...fields, field("tags", "x".repeat(65)), rubbish], problem("body", "tags")],
  ["a file that is no recording", [...fields, rubbish], unusable],
  ["an empty file", [...fields, file("voices", "")], [...unusable, ...problem("body", "voices")]],
  [
    "a file without a name of its own",
    [...fields, { head: 'Content-Disposition: form-data; name="voices"', body: CANARY }],
    unusable,
  ],
  ["a file called as a path", [...fields, file("voices", CANARY, "../../etc/passwd")], unusable],
  [
    "a file called with 7,000 characters",
    [...fields, file("voices", CANARY, "x".repeat(7000))],
    [...unusable, ...malformed],
  ],
  [
    "unknown fields and files",
    [...fields, field(CANARY, "x"), file(CANARY, "x"), field("__proto__", "x"), rubbish],
    unusable,
  ],
  ["a recording among rubbish", [...fields, file("voices", goodSample), rubbish], unusable],
  [
    "a nested form",
    [
      ...fields,
      {
        head: 'Content-Disposition: form-data; name="voices"\r\nContent-Type: multipart/mixed; boundary=C',
        body: "--C\r\n\r\nx\r\n--C--",
      },
    ],
    [...unusable, ...malformed],
  ],
  [
    "a part in base64",
    [
      ...fields,
      {
        head: 'Content-Disposition: form-data; name="voices"; filename="a"\r\nContent-Transfer-Encoding: base64',
        body: "AAAA",
      },
    ],
    unusable,
  ],
  [
    "a part in an unknown charset",
    [
      ...fields.slice(0, 2),
      {
        head: 'Content-Disposition: form-data; name="title"\r\nContent-Type: text/plain; charset=x-nobody',
        body: CANARY,
      },
      rubbish,
    ],
    [...unusable, ...malformed, ...problem("body")],
  ],
  [
    "a part of huge heads",
    [
      ...fields,
      {
        head: `Content-Disposition: form-data; name="voices"; filename="a"\r\nX-Big: ${"x".repeat(64_000)}`,
        body: CANARY,
      },
    ],
    [...malformed, ...unusable, ...problem("body", "voices"), ...error("payload_too_large")],
  ],
  [
    "a part of 1,000 heads",
    [
      ...fields,
      { head: `Content-Disposition: form-data; name="voices"; filename="a"${"\r\nX-H: x".repeat(1000)}`, body: CANARY },
    ],
    [...malformed, ...unusable, ...problem("body", "voices")],
  ],
  [
    "a field of 100 KB",
    [...fields, field("description", "x".repeat(100_000)), rubbish],
    [...error("payload_too_large"), ...problem("body", "description")],
  ],
  ["a file of 21 MB", [...fields, file("voices", Buffer.alloc(21 * 1024 * 1024))], error("payload_too_large")],
  [
    "a title that is no UTF-8",
    [
      ...fields.slice(0, 2),
      { head: 'Content-Disposition: form-data; name="title"', body: Buffer.from("c3ff80", "hex") },
      rubbish,
    ],
    [...unusable, ...malformed, ...problem("body", "title")],
  ],
];

const urlencoded: [name: string, body: Uint8Array | string, expected: Expected[]][] = [
  ["no pairs", "&", problem("body", "type")],
  ["without voices", "type=tts&train_mode=fast&title=x", problem("body", "voices")],
  ["a voice that is no base64", `type=tts&train_mode=fast&title=x&voices=${CANARY}!`, problem("body", "voices")],
  ["another type", `type=${CANARY}&train_mode=fast&title=x&voices=AAAA`, problem("body", "type")],
  ["10,000 pairs", "tags=a&".repeat(10_000), malformed],
  ["a million ampersands", "&".repeat(1_000_000), malformed],
  ["no UTF-8", Buffer.from("747970653dff", "hex"), malformed],
  ["broken escapes", "type=%zz&title=%", problem("body", "type")],
  ["JSON", '{"type":"tts"}', problem("body", "type")],
];

export function voiceFormCases(): Case[] {
  const whole = form([...fields.slice(0, 3), rubbish]);
  const cuts = Array.from({ length: Math.floor((whole.length - 6) / 8) }, (_, index) => (index + 1) * 8);
  return [
    ...cuts.map((cut) => bodyCase(`form cut after ${cut} bytes`, TYPE, whole.subarray(0, cut), malformed, create)),
    ...broken.map(([name, type, body]) => bodyCase(`form: ${name}`, type, body, malformed, create)),
    ...broken
      .filter((_, index) => index % 3 === 0)
      .map(([name, type, body]) => bodyCase(`change by a form: ${name}`, type, body, malformed, change)),
    ...problems.map(([name, parts, expected]) => bodyCase(`form with ${name}`, TYPE, form(parts), expected, create)),
    ...urlencoded.map(([name, body, expected]) => bodyCase(`pairs: ${name}`, URLENCODED, body, expected, create)),
    bodyCase("a quoted boundary", 'multipart/form-data; boundary="B"', form([...fields, rubbish]), unusable, create),
    bodyCase(
      "text before and after the form",
      TYPE,
      Buffer.concat([Buffer.from("preamble\r\n"), form([...fields, rubbish]), Buffer.from("epilogue")]),
      unusable,
      create,
    ),
    bodyCase("change by pairs", URLENCODED, "title=new&tags=a%2Cb", success(200), change),
    bodyCase("change by pairs, a title with a NUL", URLENCODED, "title=a%00b", problem("body", "title"), change),
    bodyCase(
      "change by pairs, an unknown visibility",
      URLENCODED,
      `visibility=${CANARY}`,
      problem("body", "visibility"),
      change,
    ),
    bodyCase("change by a form", TYPE, form([field("title", "newer"), field("cover_image", "")]), success(200), change),
    bodyCase("change by a form, an empty title", TYPE, form([field("title", "")]), problem("body", "title"), change),
  ];
}
