import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { watchEventLoop } from "./event-loop.js";
import { boundedLabel, type LabelName } from "./labels.js";
import { type MetricDeclaration, type MetricName, metricCatalogue } from "./catalogue.js";

/** Values of a metric's labels. One outside its label's set (`labels.ts`) is counted as `_OTHER`. */
export type Labels = Readonly<Partial<Record<LabelName, string>>>;

/**
 * Metrics of one process, in Prometheus's text format (https://prometheus.io/docs/instrumenting/exposition_formats/);
 * `catalogue.ts` says what each means.
 */
export interface Metrics {
  /** A count that only grows. */
  counter(name: MetricName<"counter">): (labels: Labels, by?: number) => void;
  /** A value read when it is scraped. */
  gauge(name: MetricName<"gauge">, read: () => number): void;
  /** Values read when they are scraped, by labels. */
  gauges(name: MetricName<"gauge">, read: () => { labels: Labels; value: number }[]): void;
  /** A distribution; durations are in seconds. */
  histogram(name: MetricName<"histogram">): (labels: Labels, value: number) => void;
  /** Everything, as the scraper reads it. */
  text(): Promise<string>;
  contentType: string;
}

/** A fresh set of metrics with the process's own (memory, CPU, event loop delay), labelled with the role. */
export function createMetrics(role: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ role });
  collectDefaultMetrics({ register: registry });
  const describe = (name: keyof typeof metricCatalogue) => {
    const { help, labels }: MetricDeclaration = metricCatalogue[name];
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  const gauge: Metrics["gauge"] = (name, read) => {
    void new Gauge({
      ...describe(name),
      collect() {
        this.set(read());
      },
    });
  };
  gauge("parley_event_loop_stall_seconds", watchEventLoop());
  return {
    counter: (name) => {
      const counter = new Counter(describe(name));
      return (values, by = 1) => counter.inc(bounded(values), by);
    },
    gauge,
    gauges: (name, read) => {
      void new Gauge({
        ...describe(name),
        collect() {
          this.reset();
          for (const { labels, value } of read()) this.set(bounded(labels), value);
        },
      });
    },
    histogram: (name) => {
      const histogram = new Histogram({ ...describe(name), buckets: [...metricCatalogue[name].buckets] });
      return (values, value) => histogram.observe(bounded(values), value);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function bounded(labels: Labels): Record<string, string> {
  const entries = Object.entries(labels) as [LabelName, string][];
  return Object.fromEntries(entries.map(([name, value]) => [name, boundedLabel(name, value)]));
}
