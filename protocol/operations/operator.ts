import { json, type Operation } from "./operation.js";

/** How the cluster does. */
export const health = {
  method: "GET",
  path: "/health",
  tag: "Operation",
  scope: null,
  summary: "Tell how the cluster does",
  description:
    "Answers 200 as long as the process lives; status is degraded while something is missing, and problems names it. " +
    "gateway says whether the LiveKit server that agents talk through answers: reachable, unreachable, or none where none is configured.",
  success: { status: 200, description: "Members, models and problems.", mediaTypes: json },
  errors: [],
  curl: "",
} satisfies Operation;

/** Whether speech can be served now. */
export const ready = {
  method: "GET",
  path: "/ready",
  tag: "Operation",
  scope: null,
  summary: "Tell whether speech can be served now",
  description:
    "For load balancers: 200 when the bus, the control plane, a scheduler and a worker with the default model are there; " +
    "else 503 with the reasons.",
  success: { status: 200, description: "Ready.", mediaTypes: json },
  errors: [],
  curl: "",
} satisfies Operation;

/** What a scraper reads. */
export const metrics = {
  method: "GET",
  path: "/metrics",
  tag: "Operation",
  scope: null,
  summary: "Metrics for Prometheus",
  description: "Text exposition format.",
  success: { status: 200, description: "The metrics.", mediaTypes: ["text/plain"] },
  errors: [],
  curl: "",
} satisfies Operation;
