import { useEffect, useRef } from "react";

/** Calls something before each picture that the screen shows, for as long as it is active. */
export function useEachFrame(callback: () => void, isActive: boolean): void {
  const newest = useRef(callback);
  useEffect(() => {
    newest.current = callback;
  });
  useEffect(() => {
    if (!isActive) return;
    let frame = requestAnimationFrame(function next() {
      newest.current();
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [isActive]);
}
