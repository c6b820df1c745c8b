/**
 * Decides which failures of something that is tried over and over are worth a line in the log: the first one, and each
 * that differs from the one before. After a success, the same failure is news again.
 */
export class FailureNotice {
  #noted: string | null = null;

  /** Notes a failure; true where it is to be logged. */
  isNews(error: unknown): boolean {
    const text = rootOf(error);
    const isNews = text !== this.#noted;
    this.#noted = text;
    return isNews;
  }

  /** Notes a success; true where failures were noted since the last one. */
  clear(): boolean {
    const hadFailed = this.#noted !== null;
    this.#noted = null;
    return hadFailed;
  }
}

/** What is at the bottom of an error; what wraps it may quote values of the attempt. */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return String(root);
}
