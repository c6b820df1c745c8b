import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ReceiversReady, ReceiversReport } from "./messages.js";

// The receivers, a process of its own: those under /ok answer at once, those under /hang never do.

const seen = new Set<string>();
const report: ReceiversReport = { delaysMs: [], repeats: 0, hanging: 0 };

const server = createServer((request, response) => {
  const arrivedMs = Date.now();
  const path = request.url ?? "";
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (path.startsWith("/hang")) {
      report.hanging++;
      return;
    }
    response.writeHead(204).end();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      session: { id: string; metadata: { due_ms: number } };
    };
    const key = `${path} ${body.session.id}`;
    if (seen.has(key)) report.repeats++;
    else report.delaysMs.push(arrivedMs - body.session.metadata.due_ms);
    seen.add(key);
  });
});
server.listen(0, "127.0.0.1", 4096, () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies ReceiversReady);
});
process.on("message", () => process.send?.(report, () => process.exit(0)));
process.on("disconnect", () => process.exit(0));
