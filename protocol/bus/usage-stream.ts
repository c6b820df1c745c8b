import { usageSubject } from "./control.js";

/**
 * Usage is kept on the bus until the control plane has booked it and the analytics engine has it, a week at most:
 * neither has to be there when a request ends. Settlement and analytics consume it each under a name of their own.
 */
export const usageStream = {
  name: "parley-usage",
  subjects: [usageSubject],
  maxAgeMs: 7 * 24 * 3600 * 1000,
  maxBytes: 1024 * 1024 * 1024,
};
