import { createHash, randomBytes } from "node:crypto";

/** A fresh random id: 32 lower-case hex characters, safe in bus subjects, file names and URLs. */
export function newIdentifier(): string {
  return randomBytes(16).toString("hex");
}

/** SHA-256 in hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
