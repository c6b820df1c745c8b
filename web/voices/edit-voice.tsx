import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ModelEntity } from "#protocol/voices";
import { ask } from "../api/request.js";
import { Dialog } from "../parts/dialog.js";
import { FailureNote } from "../shell/failure-note.js";
import { DetailsFields } from "./details-fields.js";
import { detailsOf, patchOf } from "./voice-details.js";

/** Changes what is said of a voice; its recordings stay. */
export function EditVoice({ voice, onClose }: { voice: ModelEntity; onClose: () => void }) {
  const queries = useQueryClient();
  const [details, setDetails] = useState(() => detailsOf(voice));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<unknown>("PATCH", `/model/${voice._id}`, patchOf(details)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["voices"] });
      onClose();
    },
  });
  return (
    <Dialog title={`Edit ${voice.title}`} isOpen onClose={onClose}>
      <DetailsFields details={details} onChange={setDetails} />
      {error === null ? null : <FailureNote doing="Nothing was changed" error={error} />}
      <div className="actions">
        <Button className="button" isDisabled={details.title.trim() === "" || isPending} onPress={() => mutate()}>
          Save
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
