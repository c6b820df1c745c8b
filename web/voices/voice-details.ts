import type { ModelEntity, ModelPatch, Visibility } from "#protocol/voices";

/** What the user says of a voice, as it stands in the fields. */
export interface VoiceDetails {
  title: string;
  description: string;
  /** With commas between them. */
  tags: string;
  visibility: Visibility;
}

export const noDetails: VoiceDetails = { title: "", description: "", tags: "", visibility: "private" };

export const visibilityChoices: readonly { value: Visibility; label: string }[] = [
  { value: "private", label: "Private: the team alone" },
  { value: "unlist", label: "Unlisted: whoever has its id" },
  { value: "public", label: "Public: everybody, in lists" },
];

/** The fields of a voice that is there. */
export function detailsOf({ title, description, tags, visibility }: ModelEntity): VoiceDetails {
  return { title, description, tags: tags.join(", "), visibility };
}

/** What a change sends. */
export function patchOf({ title, description, tags, visibility }: VoiceDetails): Omit<ModelPatch, "cover_image"> {
  return { title: title.trim(), description, tags: tagsOf(tags), visibility };
}

/** A recording, and what is said in it where the user wrote it down. */
export interface VoiceSample {
  id: number;
  file: File;
  text: string;
}

/** What makes a voice: `POST /model`. */
export function formOf(details: VoiceDetails, samples: readonly VoiceSample[]): FormData {
  const form = new FormData();
  form.set("type", "tts");
  form.set("train_mode", "fast");
  form.set("title", details.title.trim());
  form.set("description", details.description);
  form.set("visibility", details.visibility);
  for (const tag of tagsOf(details.tags)) form.append("tags", tag);
  for (const { file, text } of samples) {
    form.append("voices", file);
    // One for each recording; the service writes down what has none.
    form.append("texts", text.trim());
  }
  return form;
}

const tagsOf = (written: string): string[] =>
  written
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");

/** The address of a page of the list. */
export function listPath(asked: { title: string; isOwn: boolean; page: number; pageSize: number }): string {
  const query = new URLSearchParams({
    page_size: String(asked.pageSize),
    page_number: String(asked.page),
    sort_by: "created_at",
    self: String(asked.isOwn),
    ...(asked.title === "" ? {} : { title: asked.title }),
  });
  return `/model?${query}`;
}
