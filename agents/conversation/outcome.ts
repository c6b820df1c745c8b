/** What became of a conversation in one runtime: it ended, another one has it already, or another one is to take it. */
export type ConversationOutcome = "ended" | "lost" | "handed-over";
