import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { S3Settings } from "../s3-settings.js";
import { judgeSignature, type Refusal } from "./s3-signature.js";

/** What a request is answered with instead: an error, nothing at all, or the end of the connection. */
export type Fault = Refusal | "hang" | "reset";

/** An S3 server in this process, which checks signatures and can be made to fail. */
export interface S3StandIn {
  settings: S3Settings;
  /** By key. */
  objects: Map<string, Uint8Array>;
  /** Objects that are being sent in parts. */
  uploads: Map<string, Map<number, Uint8Array>>;
  /** Of each request: its method and key. */
  requests: string[];
  /** Asked for each request whose signature is right; null lets it pass. */
  fault: (request: { method: string; key: string; query: URLSearchParams }) => Fault | null;
  /** Takes no connections until `open`. */
  close(): Promise<void>;
  open(): Promise<void>;
}

const MIN_PART_BYTES = 5 * 1024 * 1024;

/** Starts a server with one empty bucket on a free loopback port. */
export async function startS3StandIn(): Promise<S3StandIn> {
  const state: State = { objects: new Map(), uploads: new Map(), requests: [], fault: () => null };
  const key = { id: "TESTKEY", secret: randomBytes(20).toString("hex"), region: "test-1" };
  let server: Server | null = null;
  let port = 0;
  const open = async (): Promise<void> => {
    server = createServer((request, response) => void answer(state, key, request, response));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  };
  await open();
  const endpoint = `http://127.0.0.1:${port}`;
  return Object.assign(state, {
    settings: {
      ...{ endpoint, publicEndpoint: endpoint, bucket: BUCKET, region: key.region, pathStyle: true },
      ...{ accessKeyId: key.id, secretAccessKey: key.secret },
    },
    open,
    async close() {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    },
  });
}

type State = Pick<S3StandIn, "objects" | "uploads" | "requests" | "fault">;
type Key = { id: string; secret: string; region: string };

const BUCKET = "parley-test";

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

async function answer(state: State, key: Key, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  const body = await buffer(request);
  const { pathname, searchParams: query } = new URL(url, "http://s3");
  const [, bucket = "", ...rest] = decodeURIComponent(pathname).split("/");
  const object = rest.join("/");
  const refused =
    judgeSignature({ method, target: url, headers: request.headers, body }, key, new Date()) ??
    (bucket === BUCKET ? null : { status: 404, code: "NoSuchBucket" });
  state.requests.push(`${method} ${object}`);
  const fault = refused ?? state.fault({ method, key: object, query });
  if (fault === "hang") return;
  if (fault === "reset") return void request.socket.destroy();
  const given =
    fault === null ? act(state, { method, object, query, body, range: request.headers.range }) : failed(fault);
  response.writeHead(given.status, given.headers).end(method === "HEAD" ? undefined : given.body);
}

const failed = ({ status, code }: Refusal): Answer => ({
  ...{ status, headers: { "content-type": "application/xml" } },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
});

const tagOf = (bytes: Uint8Array): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

function act(
  state: State,
  asked: { method: string; object: string; query: URLSearchParams; body: Uint8Array; range: string | undefined },
): Answer {
  const { method, object, query, body } = asked;
  const uploadId = query.get("uploadId");
  if (query.has("uploads") || uploadId !== null) return actOnUpload(state, asked, uploadId);
  if (method === "PUT") {
    state.objects.set(object, body);
    return { status: 200, headers: { etag: tagOf(body) } };
  }
  if (method === "DELETE") {
    state.objects.delete(object);
    return { status: 204 };
  }
  const bytes = state.objects.get(object);
  if (bytes === undefined) return failed({ status: 404, code: "NoSuchKey" });
  return show(bytes, query, asked.range);
}

function show(bytes: Uint8Array, query: URLSearchParams, range: string | undefined): Answer {
  const headers: Record<string, string> = { etag: tagOf(bytes), "accept-ranges": "bytes" };
  for (const name of ["content-type", "content-disposition"]) {
    const wanted = query.get(`response-${name}`);
    if (wanted !== null) headers[name] = wanted;
  }
  const [, first = "", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (first === "")
    return { status: 200, headers: { ...headers, "content-length": String(bytes.length) }, body: bytes };
  const end = last === "" ? bytes.length - 1 : Number(last);
  const part = bytes.subarray(Number(first), end + 1);
  return { status: 206, headers: { ...headers, "content-range": `bytes ${first}-${end}/${bytes.length}` }, body: part };
}

function actOnUpload(
  { objects, uploads }: State,
  { method, object, query, body }: { method: string; object: string; query: URLSearchParams; body: Uint8Array },
  uploadId: string | null,
): Answer {
  if (uploadId === null) {
    const id = randomBytes(8).toString("hex");
    uploads.set(id, new Map());
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }
  const parts = uploads.get(uploadId);
  if (parts === undefined) return failed({ status: 404, code: "NoSuchUpload" });
  if (method === "PUT") {
    parts.set(Number(query.get("partNumber")), body);
    return { status: 200, headers: { etag: tagOf(body) } };
  }
  uploads.delete(uploadId);
  if (method === "DELETE") return { status: 204 };
  const named = [
    ...Buffer.from(body)
      .toString()
      .matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g),
  ];
  const joined = named.map(([, number, tag = ""]) => {
    const part = parts.get(Number(number));
    return part !== undefined && tagOf(part) === tag.replaceAll("&quot;", '"') ? part : null;
  });
  if (joined.some((part) => part === null) || joined.length === 0) return failed({ status: 400, code: "InvalidPart" });
  const bytes = joined.filter((part) => part !== null);
  if (bytes.slice(0, -1).some((part) => part.length < MIN_PART_BYTES))
    return failed({ status: 400, code: "EntityTooSmall" });
  objects.set(object, Buffer.concat(bytes));
  return { status: 200, body: "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>" };
}
