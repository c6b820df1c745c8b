import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** Values of a metric's labels. Never put what strangers choose into one: each new value is a new series for ever. */
export type Labels = Readonly<Record<string, string>>;

/** Metrics of one process, in Prometheus's text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export interface Metrics {
  /** A count that only grows; name it `…_total`. */
  counter(name: string, help: string, labels?: readonly string[]): (labels: Labels, by?: number) => void;
  /** A value read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void;
  /** Values read when they are scraped, by labels. */
  gauges(name: string, help: string, labels: readonly string[], read: () => { labels: Labels; value: number }[]): void;
  /** A distribution; durations are in seconds. */
  histogram(name: string, help: string, buckets: readonly number[], labels?: readonly string[]): (labels: Labels, value: number) => void;
  /** Everything, as the scraper reads it. */
  text(): Promise<string>;
  contentType: string;
}

/** A fresh set of metrics with the process's own (memory, CPU, event loop delay), labelled with the role. */
export function createMetrics(role: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ role });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    counter: (name, help, labels = []) => {
      const counter = new Counter({ name, help, labelNames: [...labels], registers });
      return (values, by = 1) => counter.inc({ ...values }, by);
    },
    gauge: (name, help, read) => {
      void new Gauge({ name, help, registers, collect() { this.set(read()); } });
    },
    gauges: (name, help, labels, read) => {
      void new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        collect() {
          this.reset();
          for (const { labels: values, value } of read()) this.set({ ...values }, value);
        },
      });
    },
    histogram: (name, help, buckets, labels = []) => {
      const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers });
      return (values, value) => histogram.observe({ ...values }, value);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
