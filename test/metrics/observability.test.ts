import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type MetricDeclaration, metricCatalogue } from "#common/metrics/catalogue";
import { createMetrics } from "#common/metrics/registry";
import { root } from "../structure/sources.js";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const catalogue = new Map<string, MetricDeclaration>(Object.entries(metricCatalogue));

interface Query {
  where: string;
  text: string;
}

/** Words of PromQL that are no metric: functions, aggregations and keywords that these files use. */
const language = new Set(["sum", "min", "max", "rate", "increase", "by", "and", "histogram_quantile"]);

/** Every metric that a query reads, with the labels that it selects or groups by. */
function metricsIn(query: string): string[] {
  const bare = query
    .replace(/\{[^}]*\}/g, "")
    .replace(/\[[^\]]*\]/g, "")
    .replace(/\bby \([^)]*\)/g, "");
  return [...bare.matchAll(/[a-z_][a-z0-9_]*/gi)].map(([word]) => word).filter((word) => !language.has(word));
}

function labelsIn(query: string): string[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((label) => label.trim()),
  );
  const selected = [...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, name = ""]) => name),
  );
  return [...grouped, ...selected];
}

const dashboard = JSON.parse(read("observability/grafana-dashboard.json")) as {
  panels: { title: string; type: string; targets?: { expr: string; legendFormat: string }[] }[];
};
const alerts = parse(read("observability/alerts.yaml")) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; description: string } }[] }[];
};
const rules = alerts.groups.flatMap((group) => group.rules);
const queries: Query[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, text: expr }))),
  ...rules.map(({ alert, expr }) => ({ where: alert, text: expr })),
];

describe("the dashboard and the alert rules", () => {
  it("are about many things", () => {
    expect(queries.length).toBeGreaterThan(40);
    expect(rules.length).toBeGreaterThan(8);
  });

  it("read only metrics that a role gives, as what they are", async () => {
    const own = (await createMetrics("x").text()).split("\n").flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
    const wrong = queries.flatMap(({ where, text }) =>
      metricsIn(text)
        .filter((name) => {
          if (own.includes(name)) return false;
          const base = name.replace(/_(bucket|sum|count)$/, "");
          const declared = catalogue.get(name) ?? catalogue.get(base);
          return declared === undefined || (declared.type === "histogram") !== (base !== name && !catalogue.has(name));
        })
        .map((name) => `${where}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it("select and group by labels that those metrics have", () => {
    const wrong = queries.flatMap(({ where, text }) => {
      const known = metricsIn(text).flatMap((name) => {
        const declared = catalogue.get(name) ?? catalogue.get(name.replace(/_(bucket|sum|count)$/, ""));
        return [...(declared?.labels ?? []), ...(declared?.type === "histogram" ? ["le"] : []), "role", "instance"];
      });
      return labelsIn(text)
        .filter((label) => !known.includes(label))
        .map((label) => `${where}: ${label}`);
    });
    expect(wrong).toEqual([]);
  });

  it("would notice a name that does not exist", () => {
    expect(metricsIn('sum by (route) (rate(parley_nothing_total{status=~"5.."}[5m])) / sum(x_y)')).toEqual([
      "parley_nothing_total",
      "x_y",
    ]);
    expect(labelsIn('sum by (le, part) (rate(a{b=~"5..",c="d"}[5m]))')).toEqual(["le", "part", "b", "c"]);
  });

  it("show every metric of the catalogue", () => {
    const shown = new Set(
      queries.flatMap(({ text }) =>
        metricsIn(text).flatMap((name) => [name, name.replace(/_(bucket|sum|count)$/, "")]),
      ),
    );
    expect([...catalogue.keys()].filter((name) => !shown.has(name))).toEqual([]);
  });

  it("tell what to do", () => {
    for (const { annotations } of rules)
      expect(annotations.summary.length * annotations.description.length).toBeGreaterThan(0);
  });
});

describe("the catalogue", () => {
  it("keeps Prometheus's naming", () => {
    for (const [name, { type, buckets }] of catalogue) {
      expect(name).toMatch(/^parley_[a-z_]+$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(buckets === undefined).toBe(type !== "histogram");
      expect([...(buckets ?? [])].sort((a, b) => a - b)).toEqual(buckets ?? []);
    }
  });

  it("is documented", () => {
    const page = read("docs/metrics.md");
    for (const name of catalogue.keys()) expect(page).toContain(`| \`${name}\` |`);
  });
});
