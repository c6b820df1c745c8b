import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { PageEnvelope } from "#protocol/paging";
import { ask } from "./request.js";

/** Reads a list page by page: the address has the query but for the cursor. `renewMs`: how often it is read again. */
export function usePages<Page extends PageEnvelope>(queryKey: QueryKey, path: string, renewMs: number | false = false) {
  return useInfiniteQuery({
    refetchInterval: renewMs,
    queryKey,
    queryFn: ({ pageParam }) => ask<Page>("GET", withCursor(path, pageParam)),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** The address of the page that a cursor begins; the first one's without. */
export function withCursor(path: string, cursor: string | null): string {
  if (cursor === null) return path;
  return `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
}
