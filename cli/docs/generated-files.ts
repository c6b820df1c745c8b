import { readFileSync } from "node:fs";
import { join } from "node:path";
import { valuesPage } from "./chart/values-page.js";
import { valuesSchema } from "./chart/values-schema.js";
import { compatibilityPage } from "./compatibility-page.js";
import { dependenciesPage } from "./dependencies-page.js";
import { errorsPage } from "./errors-page.js";
import { limitsPage } from "./limits-page.js";
import { metricsPage } from "./metrics-page.js";
import { configurationPage, exampleEnvironment } from "./settings-page.js";

/** Every generated file's content, by its path in the project folder. */
export function generatedFiles(root: string): Record<string, string> {
  return {
    ".env.example": exampleEnvironment(),
    "docs/configuration.md": configurationPage(),
    "docs/errors.md": errorsPage(),
    "docs/compatibility.md": compatibilityPage(),
    "docs/limits.md": limitsPage(),
    "docs/metrics.md": metricsPage(),
    "docs/dependencies.md": dependenciesPage(root),
    "helm/parley/values.schema.json": valuesSchema(root),
    "helm/parley/README.md": valuesPage(root),
    ...chartFiles(root),
  };
}

/** A chart reads what lies in its own folder alone. */
function chartFiles(root: string): Record<string, string> {
  const names = ["alerts.yaml", "grafana-dashboard.json"];
  return Object.fromEntries(
    names.map((name) => [`helm/parley/files/${name}`, readFileSync(join(root, "observability", name), "utf8")]),
  );
}
