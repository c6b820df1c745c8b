import type { EventEmitter } from "node:events";
import { FfiEvent, livekitInitialize } from "@livekit/rtc-ffi-bindings";

/** Version of `@livekit/rtc-node`, which tells it to the servers that it connects to. */
export const LIBRARY_VERSION = "1.1.0";

/** The library's only client of its native half; it makes it when it is used first. */
const library = globalThis as { _ffiClientInstance?: EventEmitter };
const EVENT = "ffi_event";

let isQuiet = false;

/**
 * Opens something of `@livekit/rtc-node`, and has its native half tell JavaScript of no log lines from then on. By
 * default it tells of all of them, one event for each, which every room, track and call of the process reads: 2,700
 * lines for joining one room, and on a busy machine more than JavaScript gets done. What it logs goes where `RUST_LOG`
 * says, and nowhere where that is not set.
 */
export function openQuietly<T>(open: () => T): T {
  process.env.RUST_LOG ??= "off";
  const opened = open();
  const client = library._ffiClientInstance;
  if (isQuiet || client === undefined) return opened;
  // The library's own call, but for the logs; the later callback takes the place of the one before.
  livekitInitialize((bytes) => void client.emit(EVENT, FfiEvent.fromBinary(bytes)), false, LIBRARY_VERSION);
  isQuiet = true;
  return opened;
}
