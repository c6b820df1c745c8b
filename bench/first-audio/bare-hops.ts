import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { answerOf } from "../asked-process.js";
import type { HopPlace } from "./hop-process.js";

/** The way of a first chunk through processes that do nothing. */
export interface BareHops {
  /** From a text's sending to the arrival of a frame, milliseconds. */
  passMs(text: string): Promise<number>;
  close(): void;
}

const places: readonly HopPlace[] = ["edge", "scheduler", "worker"];
const program = fileURLToPath(new URL("./hop-process.js", import.meta.url));

/**
 * Three processes that stand where edge, scheduler and worker stand, on the same NATS server: what the way costs on this
 * machine before anything is done on it.
 */
export async function openBareHops(natsUrl: string): Promise<BareHops> {
  const children: ChildProcess[] = [];
  const close = (): void => {
    for (const child of children) if (child.connected) child.disconnect();
  };
  try {
    const ports = await Promise.all(
      places.map(async (place) => {
        const child = fork(program, [place, natsUrl]);
        children.push(child);
        return (await answerOf<{ port: number }>(child)).port;
      }),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${ports[0]}`, { perMessageDeflate: false });
    await once(socket, "open");
    return {
      async passMs(text) {
        const startMs = performance.now();
        socket.send(text);
        await once(socket, "message");
        return performance.now() - startMs;
      },
      close() {
        socket.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
