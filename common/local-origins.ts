/** Ports that servers of pages under development listen on: none in the address, Node's frameworks, Vite. */
const DEVELOPMENT_PORTS = [80, 3000, 5173] as const;

/** Origins (RFC 6454) of pages that this machine serves: on `port`, and on the ports of development servers. */
export function localOrigins(port: number): string[] {
  const ports = [...new Set([port, ...DEVELOPMENT_PORTS])];
  return ["localhost", "127.0.0.1"].flatMap((host) => ports.map((each) => new URL(`http://${host}:${each}`).origin));
}
