/**
 * The credential of an `Authorization: Bearer …` header (RFC 6750 section 2.1), or null when the header is missing or
 * malformed. Any run of visible characters is a credential: whether it is a good one is not decided here.
 */
export function bearerCredential(header: string | undefined): string | null {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1] ?? null;
}
