import { keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { PageEnvelope } from "#protocol/paging";
import { ask } from "./request.js";

interface PagesOptions {
  /** How often the list is read again. */
  renewMs?: number;
  /** Shows what was found before until another search has its answer. */
  isShownMeanwhile?: boolean;
}

/** Reads a list page by page: the address has the query but for the cursor. */
export function usePages<Page extends PageEnvelope>(queryKey: QueryKey, path: string, options: PagesOptions = {}) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => ask<Page>("GET", withCursor(path, pageParam)),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: options.renewMs ?? false,
    ...(options.isShownMeanwhile === true ? { placeholderData: keepPreviousData } : {}),
  });
}

/** The address of the page that a cursor begins; the first one's without. */
export function withCursor(path: string, cursor: string | null): string {
  if (cursor === null) return path;
  return `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
}
