import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { go } from "./kubernetes.js";

/** An operator whose objects the chart makes, and where its Go module has their definitions. */
interface Operator {
  module: string;
  version: string;
  files: readonly string[];
}

const operators: readonly Operator[] = [
  { module: "github.com/kedacore/keda/v2", version: "2.21.0", files: ["config/crd/bases/keda.sh_scaledobjects.yaml"] },
  {
    module: "github.com/prometheus-operator/prometheus-operator",
    version: "0.85.0",
    files: ["servicemonitors", "prometheusrules"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
  {
    module: "sigs.k8s.io/gateway-api",
    version: "1.6.1",
    files: ["gateways", "httproutes"].map((name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`),
  },
];

/**
 * The files of the operators' own CustomResourceDefinitions, from their Go modules, whose checksums Go's database
 * knows. Throws MissingProgram.
 */
export function findDefinitions(): string[] {
  return operators.flatMap(({ module, version, files }) => {
    const answer = go(tmpdir(), ["mod", "download", "-json", `${module}@v${version}`]);
    const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(answer));
    return files.map((file) => join(Dir, file));
  });
}
