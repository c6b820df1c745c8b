import { useBlocker } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { Dialog } from "../../parts/dialog.js";

/** Asks before a page is left whose changes are not saved. */
export function LeaveDialog({ isBlocking }: { isBlocking: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isBlocking && current.pathname !== next.pathname,
    enableBeforeUnload: isBlocking,
    withResolver: true,
  });
  return (
    <Dialog title="Leave without saving?" isOpen={status === "blocked"} onClose={() => reset?.()}>
      <p>Your changes are not saved. They are lost when you leave.</p>
      <div className="actions">
        <Button className="button danger" onPress={() => proceed?.()}>
          Leave
        </Button>
        <Button className="button quiet" onPress={() => reset?.()}>
          Stay
        </Button>
      </div>
    </Dialog>
  );
}
