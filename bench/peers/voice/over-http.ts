import { type Agent, request as httpRequest } from "node:http";

export interface HttpAnswer {
  bytes: Buffer;
  /** From the request to the arrival of so many bytes, and to the last one. */
  firstMs: number;
  totalMs: number;
}

export interface HttpQuestion {
  url: string;
  headers: Record<string, string>;
  body: object;
  /** Bytes whose arrival is `firstMs`. */
  firstBytes: number;
  /** Keeps connections; a new one is opened for each question when absent. */
  agent?: Agent;
}

/** Posts JSON and reads the answer to its end. Rejects when it is not 200. */
export function post({ url, headers, body, firstBytes, agent }: HttpQuestion): Promise<HttpAnswer> {
  const sentBytes = Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const allHeaders = { ...headers, "content-type": "application/json", "content-length": sentBytes.length };
    const options = { method: "POST", agent: agent ?? false, headers: allHeaders };
    const sent = httpRequest(url, options, (answer) => {
      const parts: Buffer[] = [];
      let bytesSoFar = 0;
      let firstMs = Number.NaN;
      answer.on("data", (part: Buffer) => {
        parts.push(part);
        bytesSoFar += part.length;
        if (Number.isNaN(firstMs) && bytesSoFar >= firstBytes) firstMs = performance.now() - startMs;
      });
      answer.on("error", reject);
      answer.on("end", () => {
        const bytes = Buffer.concat(parts);
        if (answer.statusCode === 200) resolve({ bytes, firstMs, totalMs: performance.now() - startMs });
        else reject(new RangeError(`${url} answered ${answer.statusCode}: ${bytes.toString().slice(0, 200)}`));
      });
    });
    sent.on("error", (cause) =>
      reject(new Error(`${url} did not answer after ${(performance.now() - startMs).toFixed(0)} ms`, { cause })),
    );
    sent.end(sentBytes);
  });
}
