import type { Sealer } from "./sealer.js";

/** What a secret of a configuration is for. */
export type SecretPurpose = "post_call" | "conversation_init" | "llm";

/** Encrypts the write-only secrets of one agent. */
export interface SecretBox {
  seal(plain: string, purpose: SecretPurpose): string;
  /** Throws SealError when the text was sealed for something else, or with a key that this installation lacks. */
  open(sealed: string, purpose: SecretPurpose): string;
}

/** The secrets of one agent: moved to another agent or purpose, they do not open. */
export function secretBox(sealer: Sealer, agentId: string): SecretBox {
  const context = (purpose: SecretPurpose): string => `agent:${agentId}:${purpose}`;
  return {
    seal: (plain, purpose) => sealer.seal(plain, context(purpose)),
    open: (sealed, purpose) => sealer.open(sealed, context(purpose)),
  };
}
