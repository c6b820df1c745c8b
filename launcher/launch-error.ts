/**
 * Something that keeps Parley from starting and that the person at the terminal can change; `message` is one line that
 * says how.
 */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}
