import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { download } from "./download.js";

const directory = mkdtempSync(join(tmpdir(), "parley-download-"));
const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i) % 251));
const sha256 = createHash("sha256").update(content).digest("hex");
let close: (() => Promise<void>) | null = null;
let count = 0;

afterAll(() => rmSync(directory, { recursive: true }));

afterEach(async () => {
  await close?.();
  close = null;
});

/** Serves one file as `answer` does; gives its URL and the ranges that were asked for. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; ranges: string[] }> {
  const ranges: string[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range ?? "");
    answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.tar.gz`, ranges };
}

/** As servers of files do: ranges, from a start to the end. */
function sendRange(request: IncomingMessage, response: ServerResponse, limit = Number.POSITIVE_INFINITY): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  if (start >= content.length) return void response.writeHead(416).end();
  const head = start > 0 ? { "content-range": `bytes ${start}-${content.length - 1}/${content.length}` } : {};
  response.writeHead(start > 0 ? 206 : 200, { ...head, "content-length": content.length - start });
  if (content.length - start <= limit) return void response.end(content.subarray(start));
  response.write(content.subarray(start, start + limit), () => response.destroy());
}

const target = (): string => join(directory, `file-${count++}.part`);
const options = { sha256, retryDelayMs: 1, onProgress: () => undefined };

describe("a download", () => {
  it("goes on where the connection broke, and tells how far it is", async () => {
    const { url, ranges } = await serve((request, response) => sendRange(request, response, 70_000));
    const path = target();
    const seen: [number, number | null][] = [];
    await download({ ...options, url, path, onProgress: (bytes, total) => void seen.push([bytes, total]) });
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(ranges.length).toBeGreaterThanOrEqual(5);
    expect(ranges.slice(1).every((range) => /^bytes=\d+-$/.test(range))).toBe(true);
    expect(seen.at(-1)).toEqual([content.length, content.length]);
    expect(seen.every(([bytes], i) => bytes >= (seen[i - 1]?.[0] ?? 0))).toBe(true);
  });

  it("takes up what an earlier command brought", async () => {
    const { url, ranges } = await serve(sendRange);
    const path = target();
    writeFileSync(path, content.subarray(0, 100_000));
    await download({ ...options, url, path });
    expect(ranges).toEqual(["bytes=100000-"]);
    expect(readFileSync(path).equals(content)).toBe(true);
    await download({ ...options, url, path });
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it("begins anew where the server cannot go on", async () => {
    const { url } = await serve((_request, response) => void response.end(content));
    const path = target();
    writeFileSync(path, "something else");
    await download({ ...options, url, path });
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it("keeps nothing of what has another sum", async () => {
    const { url } = await serve(sendRange);
    const path = target();
    await expect(download({ ...options, url, path, sha256: "0".repeat(64) })).rejects.toThrow(
      new RegExp(`SHA-256 ${sha256}, not 0000`),
    );
    expect(existsSync(path)).toBe(false);
  });

  it("gives up on a server that only breaks off, and keeps what came", async () => {
    const { url } = await serve((_request, response) => response.destroy());
    const path = target();
    writeFileSync(path, content.subarray(0, 10));
    await expect(download({ ...options, url, path })).rejects.toThrow(/goes on where it was/);
    expect(readFileSync(path).length).toBe(10);
  });

  it("gives up on a server that falls silent", async () => {
    const { url } = await serve(
      (_request, response) => void response.writeHead(200, { "content-length": 100 }).flushHeaders(),
    );
    await expect(download({ ...options, url, path: target(), stallMs: 20 })).rejects.toThrow(/nothing came/);
  });

  it.each([
    [404, /answers 404/],
    [503, /answers 503/],
  ])("says that the server answers %i", async (status, reason) => {
    const { url } = await serve((_request, response) => void response.writeHead(status).end("no"));
    await expect(download({ ...options, url, path: target() })).rejects.toThrow(reason);
  });

  it("keeps its bound, stated or not", async () => {
    const stated = await serve(sendRange);
    await expect(download({ ...options, url: stated.url, path: target(), limitBytes: 1000 })).rejects.toThrow(
      /300000 bytes, more than 1000/,
    );
    await close?.();
    const unstated = await serve((_request, response) => {
      response.write(content);
      response.end();
    });
    await expect(download({ ...options, url: unstated.url, path: target(), limitBytes: 1000 })).rejects.toThrow(
      /more than 1000/,
    );
  });

  it.each([
    "ftp://host/x",
    "file:///etc/passwd",
    "model.tar",
    "https://user:secret@host/x",
  ])("refuses %s", async (url) => {
    await expect(download({ ...options, url, path: target() })).rejects.toThrow(/URL/);
  });
});
