import { type MetricDeclaration, metricCatalogue } from "#common/metrics/catalogue";
import { generatedNote, markdownTable } from "./markdown.js";

/** `docs/metrics.md`: the catalogue as those who scrape see it. */
export function metricsPage(): string {
  const rows = Object.entries<MetricDeclaration>(metricCatalogue).map(([name, { type, roles, labels, help }]) => [
    `\`${name}\``,
    type,
    roles.join(", "),
    labels.map((label) => `\`${label}\``).join(", "),
    help,
  ]);
  return [
    "# Metrics",
    "",
    generatedNote("common/metrics/catalogue.ts"),
    "",
    "Prometheus's text format. The edge answers `GET /metrics` on its public port without an API key: set `PARLEY_OPERATOR_TOKEN`, which it then wants",
    "as a bearer, or move it to the metrics port with `PARLEY_PUBLIC_METRICS=off`, wherever strangers reach that port.",
    "Every other role answers `GET /metrics` at `PARLEY_METRICS_PORT`, which is off by default. `npm start` gives its roles that port and those",
    "after it: control plane, schedulers, workers, edge, in that order. Each series has the label `role`; a scraper adds `instance`.",
    "Counters count since the process started. Durations are in seconds.",
    "",
    "The same port answers `GET /startup` (200 once the role has loaded what it needs), `/live` (200 while the process answers at all) and `/ready` (200 while",
    "work may be sent to it), else 503 with the reasons. An edge is ready when it has seen a whole cluster once; from then on only what is its own counts, and what",
    "all edges lack they answer themselves, with a reason and `Retry-After`. `GET /ready` at the public port tells of the whole service.",
    "",
    markdownTable(["Name", "Type", "Roles", "Labels", "Meaning"], rows),
    "",
    "Besides these, every role gives prom-client's own (`process_*`, `nodejs_*`): memory, processor time, open files, event loop delay,",
    "garbage collection.",
    "",
    "`observability/grafana-dashboard.json` draws them, `observability/alerts.yaml` holds alert rules for Prometheus.",
    "",
  ].join("\n");
}
