const SCRIPT_NAME = "/widget.js";

/**
 * Where this script was loaded from; null where that cannot be known. Only a classic script is told by the document, so
 * a module is looked for by its name.
 */
export function scriptAddress(page: Document): string | null {
  const current = page.currentScript;
  if (current instanceof HTMLScriptElement && current.src !== "") return current.src;
  const addresses = [...page.querySelectorAll<HTMLScriptElement>("script[src]")].map(({ src }) => src);
  return addresses.find((address) => new URL(address).pathname.endsWith(SCRIPT_NAME)) ?? null;
}
