import { Button } from "react-aria-components/Button";
import { FailureNote } from "../shell/failure-note.js";
import { Dialog } from "./dialog.js";

interface ConfirmDialogProps {
  title: string;
  /** What will happen, in a sentence. */
  text: string;
  /** The word on the button that does it. */
  action: string;
  isOpen: boolean;
  isPending: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks once more before something is done that cannot be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, action, isOpen, isPending, error, onConfirm, onClose } = props;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      {error === null ? null : <FailureNote doing="That was not done" error={error} />}
      <div className="actions">
        <Button className="button danger" isDisabled={isPending} onPress={onConfirm}>
          {action}
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
