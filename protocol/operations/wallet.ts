import { activityReport, usageQuery, usageReport } from "../usage.js";
import { apiCredit, walletPackage } from "../wallet.js";
import { authentication, json, type Operation } from "./operation.js";

/** What the account has left, and what it used. */
export const walletOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/wallet/:user_id/api-credit",
    tag: "Wallet",
    scope: "wallet",
    summary: "Show the team's credit",
    description: "Credit is a decimal in text. user_id is self, or the caller's own.",
    success: { status: 200, description: "The balance.", mediaTypes: json, schema: apiCredit },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/wallet/:user_id/package",
    tag: "Wallet",
    scope: "wallet",
    summary: "Show the team's package",
    description: "A self-hosted service sells none: the counts are zero. user_id is self, or the caller's own.",
    success: { status: 200, description: "The package.", mediaTypes: json, schema: walletPackage },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/v1/usage",
    tag: "Wallet",
    scope: "wallet",
    summary: "Show what the team used",
    description:
      "Sums by day (UTC), model, key and agent: group_by is a comma-separated list of day, model, key and agent, day when absent. start and end are " +
      "dates, both included; the last 30 days when absent, 366 at most. A request counts a moment after its end, and so does a conversation, " +
      "whose minutes have the model conversation; what was spoken and recognized in it counts by itself, with the same agent.",
    query: usageQuery,
    success: { status: 200, description: "The sums.", mediaTypes: json, schema: usageReport },
    errors: [...authentication, "validation"],
    curl: "",
  },
  {
    method: "GET",
    path: "/v1/usage/activity",
    tag: "Wallet",
    scope: "wallet",
    summary: "Show what the team does now, and how fast it is answered",
    description:
      "Requests that are being served and conversations that are held at this moment, and percentiles of the last 24 hours, in milliseconds: until the first audio of " +
      "spoken requests (the latest 5,000), and from the end of a caller's words to the reply (of the latest 500 conversations). Null where there was none.",
    success: { status: 200, description: "What goes on.", mediaTypes: json, schema: activityReport },
    errors: authentication,
    curl: "",
  },
];
