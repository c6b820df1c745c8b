import type { Sealer } from "#common/secrets/sealer";

/** What a credential's seal is bound to: moved to another tool or header, it does not open. */
export function credentialContext(toolId: string, headerName: string): string {
  return `tool:${toolId}:${headerName.toLowerCase()}`;
}

/** The credentials of a tool in the clear, by lower-case header name. Throws what the sealer throws. */
export function openCredentials(
  toolId: string,
  secrets: Readonly<Record<string, string>>,
  sealer: Sealer,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, sealed]) => [name, sealer.open(sealed, credentialContext(toolId, name))]),
  );
}
