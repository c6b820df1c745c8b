const amounts = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "200Gi" };

const node = (name: string, zone: string, more: { amounts?: object; labels?: object } = {}) => {
  const allocatable = { ...amounts, ...more.amounts };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        ...{ "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
        "topology.kubernetes.io/zone": zone,
        ...more.labels,
      },
      annotations: { "kwok.x-k8s.io/node": "fake" },
    },
    // As clouds taint them: whatever share of a GPU they give.
    spec:
      more.amounts === undefined ? {} : { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] },
    status: { allocatable, capacity: allocatable },
  };
};

const l4 = { "nvidia.com/gpu.product": "NVIDIA-L4" };

/** The nodes that have no GPU. */
export const cpuNodes = ["north-1", "north-2", "south-1", "south-2"] as const;
/** The nodes with a whole GPU each. */
export const gpuNodes = ["north-gpu", "south-gpu"] as const;
/** The node whose GPU is divided. */
export const MIG_NODE = "south-mig";

/** Nodes of two zones. They run no container. */
export const nodes = [
  ...cpuNodes.map((name) => node(name, zoneOf(name))),
  ...gpuNodes.map((name) => node(name, zoneOf(name), { amounts: { "nvidia.com/gpu": "1" }, labels: l4 })),
  node(MIG_NODE, zoneOf(MIG_NODE), { amounts: { "nvidia.com/mig-1g.10gb": "7" } }),
];

/** The zone that a node is in. */
export function zoneOf(name: string): string {
  return name.slice(0, name.indexOf("-"));
}

/** Volumes of the default class, as many as a test needs at once: nobody here makes one when it is asked for. */
export const volumes = [
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "local", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "Immediate",
  },
  ...Array.from({ length: 12 }, (_, index) => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `volume-${index}` },
    spec: {
      capacity: { storage: "20Gi" },
      accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "local",
      hostPath: { path: `/volumes/${index}` },
    },
  })),
];
