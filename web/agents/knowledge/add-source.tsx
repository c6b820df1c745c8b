import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog } from "../../parts/dialog.js";
import { KNOWLEDGE } from "./knowledge-queries.js";
import { SourceForm } from "./source-form.js";

const empty = { name: "", description: "", content: "" };

/** Adds a source, from a file or from text. */
export function AddSource() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button className="button" onPress={() => setIsOpen(true)}>
        Add a source
      </Button>
      <Dialog title="A new source" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <SourceForm method="POST" path={KNOWLEDGE} stored={empty} action="Add" onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}
