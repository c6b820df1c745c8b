import { openGraph } from "#workers/engines/onnx/runtime";

// A process of its own: `node probe.js <graph> <provider>` opens a graph with one execution provider and says by which
// one it was opened. A provider that brings the process down has not worked.

const [path = "", provider = ""] = process.argv.slice(2);
const { provider: opened, refused } = await openGraph(path, [provider]);
process.stdout.write(JSON.stringify({ opened, reason: refused[0]?.reason ?? null }));
process.exit(0);
