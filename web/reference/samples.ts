import { sampleAddress } from "#protocol/operations/operation";

/** One example of a call. */
export interface ShownSample {
  label: string;
  source: string;
}

/** The examples of an operation of the OpenAPI document, with the address that the reader uses. */
export function samplesOf(operation: unknown, origin: string): ShownSample[] {
  const samples = (operation as { "x-codeSamples"?: ShownSample[] } | undefined)?.["x-codeSamples"] ?? [];
  return samples.map(({ label, source }) => ({ label, source: source.replaceAll(sampleAddress, origin) }));
}
