import { compatMounts, compatOperations } from "../compat/operations.js";
import { bodyLimits } from "../limits.js";
import { maxBodyBytesOf } from "./operation.js";
import { operations } from "./operations.js";

/** An operation with its largest body or, on a WebSocket, its largest frame. */
export interface SizedOperation {
  method: string;
  path: string;
  maxBytes: number;
}

/** Every operation that takes a body, and every WebSocket. */
export const sizedOperations: readonly SizedOperation[] = [
  ...operations.map((operation) => {
    const { method, path, maxFrameBytes } = operation;
    return maxFrameBytes === undefined
      ? { method, path, maxBytes: maxBodyBytesOf(operation) }
      : { method: "WebSocket", path, maxBytes: maxFrameBytes };
  }),
  ...compatOperations.flatMap(({ protocol, method, path, maxBytes }) =>
    compatMounts[protocol].map((mount) => ({ method, path: `${mount}${path}`, maxBytes })),
  ),
].filter(({ maxBytes }) => maxBytes > bodyLimits.none);
