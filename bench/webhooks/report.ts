import { type Aim, atMost } from "../report/aim.js";
import { table } from "../results.js";
import type { WebhooksFigures } from "./run.js";

/** The figures as a page of text. */
export function printWebhooks(figures: WebhooksFigures): string {
  const { p50, p95, p99, max } = figures.healthyDelayMs;
  const head = [
    "deliveries/s",
    "healthy: p50 ms",
    "p95",
    "p99",
    "max",
    "missing",
    "repeated",
    "attempts at hanging",
    "writer late ms",
    "process: core",
    "processor ms",
  ];
  const {
    deliveriesPerSecond,
    missing,
    repeats,
    hangingAttempts,
    writerLateMs,
    processorShare,
    processorMsPerDelivery,
  } = figures;
  const line = [
    String(Math.round(deliveriesPerSecond)),
    p50,
    p95,
    p99,
    max,
    missing,
    repeats,
    hangingAttempts,
    writerLateMs,
    processorShare,
    processorMsPerDelivery,
  ];
  return table(head, [line]);
}

/** What deliveries to healthy receivers are held to. */
export function webhooksAims({ healthyDelayMs, missing, repeats }: WebhooksFigures): Aim[] {
  return [
    atMost("healthy deliveries beside hanging ones, the latest, ms", healthyDelayMs.max, 1000),
    atMost("healthy deliveries that are missing or repeated", missing + repeats, 0),
  ];
}
