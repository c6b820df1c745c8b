import { ApiFailure, messageOf, newTrace, problemsOf } from "./request.js";

/**
 * Posts a form; gives the parsed answer. Says how much of it has left, from 0 to 1, which `fetch` does not. Throws
 * `ApiFailure`, and an AbortError where `signal` ends it.
 */
export function upload<T>(
  path: string,
  form: FormData,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<T> {
  const { traceId, header } = newTrace((bytes) => crypto.getRandomValues(bytes));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("traceparent", header);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 0 : loaded / total);
    request.upload.onload = () => onSent(1);
    request.onload = () => {
      const { status, response } = request as { status: number; response: unknown };
      if (status >= 200 && status < 300) resolve(response as T);
      else reject(new ApiFailure(status, traceId, messageOf(status, response ?? undefined), problemsOf(response)));
    };
    request.onerror = () => reject(new ApiFailure(0, traceId, "The server cannot be reached"));
    request.onabort = () => reject(new DOMException("The upload was ended", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}
