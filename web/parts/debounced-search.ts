import { useEffect, useState } from "react";

const SEARCH_DELAY_MS = 250;

/** What is searched for, as it was when the typing last paused: it is not asked for letter by letter. */
export function useDebouncedSearch(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled.trim();
}
