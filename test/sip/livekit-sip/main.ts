import { once } from "node:events";
import { z } from "zod";
import { startStandIn } from "./stand-in.js";

/* The stand-in as a program of its own: its parent says beside which server, and hears where it takes calls. */

const options = z.object({
  liveKit: z.object({ url: z.string(), apiKey: z.string(), apiSecret: z.string() }),
  redisUrl: z.string(),
  port: z.number(),
});

process.on("disconnect", () => process.exit());
const [message]: unknown[] = await once(process, "message");
const standIn = await startStandIn(options.parse(message));
process.on("SIGTERM", () => void standIn.stop().then(() => process.exit()));
process.send?.({ address: standIn.address });
