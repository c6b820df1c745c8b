// `node server.mjs PACKAGES`: Fastify with one trivial route, as its documentation begins; says its port.
import { createRequire } from "node:module";
import { join } from "node:path";

const { fastify } = createRequire(join(process.argv[2], "package.json"))("fastify");
const server = fastify();
server.get("/", async () => ({ status: "ok" }));
await server.listen({ port: 0, host: "127.0.0.1" });
process.send(server.server.address().port);
process.once("disconnect", () => server.close());
