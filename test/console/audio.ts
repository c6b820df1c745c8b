import type { TestCluster } from "../harness/cluster.js";
import { describeBrowser } from "./pages.js";
import { describeSpeak } from "./speak.js";

/** The sections that speak, in a browser. */
export function describeAudio(started: () => TestCluster): void {
  const pages = describeBrowser(started);
  describeSpeak(started, pages);
}
