import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { KnowledgeSourceSummary } from "#protocol/knowledge";
import { ask } from "../../api/request.js";
import { ConfirmedButton } from "../../parts/confirmed-button.js";
import { Dialog } from "../../parts/dialog.js";
import { SwitchField } from "../../parts/switch-field.js";
import { momentText } from "../../parts/time-text.js";
import { EditSource } from "./edit-source.js";
import { knowledgeKey, sourcePath } from "./knowledge-queries.js";
import { sizeText } from "./size-text.js";

interface SourceProps {
  source: KnowledgeSourceSummary;
  isAttached: boolean;
  isPending: boolean;
  onAttach: (isOn: boolean) => void;
}

/** One source: what it is, whether this agent has it, changing and deleting it. */
export function Source({ source, isAttached, isPending, onAttach }: SourceProps) {
  const [isEditing, setIsEditing] = useState(false);
  const queries = useQueryClient();
  const { name, chunk_count: passages } = source;
  return (
    <>
      <h3>{name}</h3>
      {source.description === "" ? null : <p className="clamped">{source.description}</p>}
      <p className="soft">
        {source.file_name}, {sizeText(source.size_bytes)}, {passages === 1 ? "one passage" : `${passages} passages`},
        revision {source.revision_number}. Changed {momentText(source.updated_at)}.
      </p>
      <div className="actions">
        <Button className="button quiet" aria-label={`Edit ${name}`} onPress={() => setIsEditing(true)}>
          Edit
        </Button>
        <ConfirmedButton
          className="button danger"
          label="Delete"
          ariaLabel={`Delete ${name}`}
          title={`Delete ${name}?`}
          text="All its revisions are gone then. A source that an agent has must be taken off it first, and that published."
          action="Delete the source"
          run={() => ask<void>("DELETE", sourcePath(source.knowledge_source_id))}
          onDone={() => queries.invalidateQueries({ queryKey: knowledgeKey })}
        />
      </div>
      <SwitchField label={`Attach ${name}`} isOn={isAttached} isDisabled={isPending} onChange={onAttach} />
      <Dialog title={`Edit ${name}`} isOpen={isEditing} onClose={() => setIsEditing(false)}>
        <EditSource sourceId={source.knowledge_source_id} onClose={() => setIsEditing(false)} />
      </Dialog>
    </>
  );
}
