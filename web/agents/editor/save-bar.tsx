import { Button } from "react-aria-components/Button";

interface SaveBarProps {
  /** What is saved. */
  noun: string;
  editor: {
    unsavedFields: number;
    isSaving: boolean;
    problems: readonly unknown[];
    save: () => void;
    discard: () => void;
  };
}

/** Says what is not saved yet, and saves it. */
export function SaveBar({ noun, editor: { unsavedFields, isSaving, problems, save, discard } }: SaveBarProps) {
  const isClean = unsavedFields === 0;
  return (
    <div className="save-bar">
      {/* Never closed for want of changes: a number counts when its field is left, which the press on this button does. */}
      <Button className="button" isDisabled={isSaving} onPress={save}>
        Save the {noun}
      </Button>
      <Button className="button quiet" isDisabled={isClean || isSaving} onPress={discard}>
        Discard
      </Button>
      <span role="status">{statusOf(unsavedFields, problems.length)}</span>
    </div>
  );
}

function statusOf(unsavedFields: number, problems: number): string {
  if (problems > 0) return problems === 1 ? "One field is not right yet." : `${problems} fields are not right yet.`;
  if (unsavedFields === 0) return "Everything is saved.";
  return unsavedFields === 1 ? "One change is not saved." : `${unsavedFields} changes are not saved.`;
}
