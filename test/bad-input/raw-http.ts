import { CANARY, type Case } from "./case.js";
import { goodSpeech, rawCase, rawHead } from "./requests.js";

const body = JSON.stringify(goodSpeech);
const post = (...lines: string[]): string =>
  rawHead("POST /v1/tts HTTP/1.1", "Content-Type: application/json", ...lines);
const get = (...lines: string[]): string => rawHead("GET /model?page_size=1 HTTP/1.1", ...lines);
const chunked = (chunks: string): string => post("Transfer-Encoding: chunked") + chunks;
const BAD = [400, 413, 431, 501, 505];

/** Lengths that lie. HTTP asks for 400 or a closed connection (RFC 9112 section 6.3). */
function lengthCases(): Case[] {
  const nonsense = [
    "-1",
    "abc",
    "1e3",
    "0x10",
    "1.5",
    "",
    " ",
    "18446744073709551616",
    "9".repeat(40),
    "10, 10",
    "+10",
    "10 10",
  ];
  return [
    ...nonsense.map((length) =>
      rawCase(`content length "${length}"`, post(`Content-Length: ${length}`) + body, [...BAD, 415], {
        halfClose: true,
      }),
    ),
    rawCase("two lengths that differ", post("Content-Length: 5", `Content-Length: ${body.length}`) + body, BAD, {
      halfClose: true,
    }),
    rawCase(
      "a length and chunks",
      `${post(`Content-Length: ${body.length}`, "Transfer-Encoding: chunked")}0\r\n\r\n`,
      BAD,
    ),
    rawCase("a length longer than the body", post(`Content-Length: ${body.length + 100}`) + body, [], {
      halfClose: true,
    }),
    rawCase("a length shorter than the body", post("Content-Length: 10") + body, [400]),
    rawCase("a length of nothing", post("Content-Length: 0") + body, [400, 415]),
    rawCase("a length of 1 GB", post("Content-Length: 1073741824") + body, [413]),
    rawCase("a length of 9 EB", post("Content-Length: 9007199254740993") + body, [...BAD]),
    rawCase("half a body, then nothing", post(`Content-Length: ${body.length}`) + body.slice(0, 10), [], {
      halfClose: true,
    }),
    rawCase("a head alone, then nothing", post(`Content-Length: ${body.length}`), [], { halfClose: true }),
  ];
}

/** RFC 9112 section 7.1. */
function chunkCases(): Case[] {
  const whole = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const broken: [name: string, chunks: string][] = [
    ["no number", "zz\r\nabc\r\n0\r\n\r\n"],
    ["a negative length", "-5\r\nhello\r\n0\r\n\r\n"],
    ["a length of 2^64", "10000000000000000\r\nhello\r\n"],
    ["a length of 40 digits", `${"f".repeat(40)}\r\nhello\r\n`],
    ["a line of 100 KB", `5;${"x".repeat(100_000)}\r\nhello\r\n0\r\n\r\n`],
    ["a chunk longer than said", `5\r\n${body}\r\n0\r\n\r\n`],
    ["a missing end", `${body.length.toString(16)}\r\n${body}\r\n`],
    ["nothing", ""],
    ["half a chunk", `ff\r\n${body}`],
  ];
  return [
    rawCase("chunks", chunked(whole), [200], { mayBreakOff: false }),
    ...broken.map(([name, chunks]) => rawCase(`chunks: ${name}`, chunked(chunks), BAD, { halfClose: true })),
    ...["gzip", "gzip, chunked", "chunked, chunked", "identity", "xchunked", "chunked, identity"].map((coding) =>
      rawCase(`transfer encoding ${coding}`, post(`Transfer-Encoding: ${coding}`) + whole, [...BAD, 415, 200], {
        halfClose: true,
      }),
    ),
  ];
}

function headCases(): Case[] {
  const requestLines = [
    "GET",
    "GET /",
    "GET / HTTP",
    "GET / HTTP/",
    "GET / HTTP/1",
    "GET / HTTP/9.9",
    "GET / HTTP/2.0",
    "GET / HTTP/0.9",
    "GET  /  HTTP/1.1",
    "GET / HTTP/1.1 x",
    " GET / HTTP/1.1",
    "/ GET HTTP/1.1",
    "G\u00e9T / HTTP/1.1",
    "GET /\u0000 HTTP/1.1",
    "GET /\u00e9 HTTP/1.1",
    "GET model HTTP/1.1",
    "GET http://elsewhere/model HTTP/1.1",
    "GET * HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "CONNECT elsewhere:443 HTTP/1.1",
    "PRI * HTTP/2.0",
    "get /model HTTP/1.1",
    "BREW /v1/tts HTTP/1.1",
    `${"G".repeat(10_000)} / HTTP/1.1`,
    `GET /${"x".repeat(100_000)} HTTP/1.1`,
    "",
    "\u0016\u0003\u0001\u0002",
    "SSH-2.0-OpenSSH_9",
    `${CANARY} ${CANARY} ${CANARY}`,
  ];
  const lines: [name: string, line: string][] = [
    ["64 KB in one", `X-Big: ${"x".repeat(64_000)}`],
    ["64 KB in a thousand", Array.from({ length: 1000 }, (_, index) => `X-${index}: ${"x".repeat(60)}`).join("\r\n")],
    ["1 MB", `X-Big: ${"x".repeat(1_000_000)}`],
    ["no colon", CANARY],
    ["no name", ": x"],
    ["a space before the colon", "X-A : x"],
    ["a name with a space", "X A: x"],
    ["a folded line", "X-A: x\r\n  folded"],
    ["a bare line feed", "X-A: x\nX-B: y"],
    ["a bare carriage return", "X-A: x\rX-B: y"],
    ["a NUL", "X-A: a\u0000b"],
    ["a control character", "X-A: a\u0001b"],
    ["a NUL in a name", "X\u0000A: x"],
    ["another host", "Host: elsewhere"],
    ["Latin-1 in a name", "X-\u00e9: x"],
  ];
  const served = [200, 404, 405, 401, 426, 204];
  return [
    ...requestLines.map((line) =>
      rawCase(`request line ${JSON.stringify(line).slice(0, 50)}`, rawHead(line), [...BAD, ...served], {
        halfClose: true,
      }),
    ),
    ...lines.map(([name, line]) => rawCase(`header: ${name}`, get(line), [...BAD, 200], { halfClose: true })),
    rawCase("no host", "GET /model HTTP/1.1\r\nConnection: close\r\n\r\n", [...BAD, 401], { halfClose: true }),
    rawCase("a head cut in the middle", get().slice(0, 40), BAD, { halfClose: true }),
    rawCase("nothing at all", "", [], { halfClose: true }),
    rawCase("line ends alone", "\r\n".repeat(1000), BAD, { halfClose: true }),
    rawCase("line feeds for line ends", get().replaceAll("\r\n", "\n"), [...BAD, 200], { halfClose: true }),
    rawCase("random bytes", Buffer.from("b1946ac92492d2347c6235b4d2611184e5c2".repeat(500), "hex"), BAD, {
      halfClose: true,
    }),
    rawCase("a megabyte of zeros", Buffer.alloc(1_000_000), BAD, { halfClose: true }),
    rawCase("a TLS greeting", Buffer.from("1603010200010001fc0303", "hex"), BAD, { halfClose: true }),
    rawCase(
      "a smuggled second request",
      `${post("Content-Length: 4", "Transfer-Encoding : chunked")}0\r\n\r\nGET /${CANARY} HTTP/1.1\r\n\r\n`,
      [...BAD],
      { halfClose: true },
    ),
    rawCase("an injected header", get(`Model: s1\r\nX-${CANARY}: 1`), [200], { mayBreakOff: false }),
    rawCase("two credentials", get("Authorization: Bearer x"), [401, 400], { mayBreakOff: false }),
    rawCase(
      "two content types",
      post("Content-Type: text/plain", `Content-Length: ${body.length}`) + body,
      [415, 400],
      { mayBreakOff: false },
    ),
    rawCase("two models", post("Model: s1", "Model: s2-pro", `Content-Length: ${body.length}`) + body, [400], {
      mayBreakOff: false,
    }),
    rawCase(
      "a non-ASCII credential",
      "GET /model HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer \u00ff\u00fe\r\n\r\n",
      [401, 400],
    ),
  ];
}

export const rawHttpCases = (): Case[] => [...lengthCases(), ...chunkCases(), ...headCases()];
