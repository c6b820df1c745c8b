import type { Conversation } from "./conversation.js";

/** Tells a conversation something. */
export type Tell = (what: (conversation: Conversation) => void) => void;

/** Holds what is told of a conversation until it is open. */
export function mailbox(): { tell: Tell; isOpen: (conversation: Conversation) => void } {
  const early: ((conversation: Conversation) => void)[] = [];
  let open: Conversation | null = null;
  return {
    tell: (what) => void (open === null ? early.push(what) : what(open)),
    isOpen(conversation) {
      open = conversation;
      for (const what of early.splice(0)) what(conversation);
    },
  };
}
