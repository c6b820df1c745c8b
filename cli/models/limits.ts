/**
 * Bounds of what an archive or a download may bring: far above any model that this service can run, far below what
 * fills a disk by mistake.
 */
export const modelLimits = {
  downloadBytes: 16 * 1024 ** 3,
  unpackedBytes: 32 * 1024 ** 3,
  files: 10_000,
  pathCharacters: 400,
  folderDepth: 12,
} as const;

export type ModelLimits = { readonly [Name in keyof typeof modelLimits]: number };
