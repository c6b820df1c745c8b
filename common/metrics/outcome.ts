/** How a request ended: `cancelled` by its client. */
export type RequestOutcome = "completed" | "cancelled" | "failed";
