import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { FailureNote } from "../shell/failure-note.js";
import { Dialog } from "./dialog.js";

interface ConfirmedButtonProps<Answer> {
  label: string;
  /** Where the label alone does not say what it is about. */
  ariaLabel?: string;
  className: string;
  /** Of the question. */
  title: string;
  /** What will happen, in a sentence. */
  text: string;
  /** The word on the button that does it. */
  action: string;
  run: () => Promise<Answer>;
  onDone: (answer: Answer) => unknown;
}

/** A button that asks once more before it does what cannot be taken back, and says why where that fails. */
export function ConfirmedButton<Answer>(props: ConfirmedButtonProps<Answer>) {
  const { label, ariaLabel, className, title, text, action, run, onDone } = props;
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    onSuccess: (answer) => {
      setIsAsking(false);
      return onDone(answer);
    },
  });
  return (
    <>
      <Button
        className={className}
        {...(ariaLabel === undefined ? {} : { "aria-label": ariaLabel })}
        onPress={() => setIsAsking(true)}
      >
        {label}
      </Button>
      <Dialog title={title} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <p>{text}</p>
        {error === null ? null : <FailureNote doing="That was not done" error={error} />}
        <div className="actions">
          <Button className="button danger" isDisabled={isPending} onPress={() => mutate()}>
            {action}
          </Button>
          <Button className="button quiet" onPress={() => setIsAsking(false)}>
            Cancel
          </Button>
        </div>
      </Dialog>
    </>
  );
}
