/** A submitted form: what a body gave, in the order it was sent. */
export interface Form {
  fields: FormField[];
  files: FormFile[];
}

export interface FormField {
  name: string;
  value: string;
}

export interface FormFile {
  name: string;
  /** Empty when the part gave none. */
  filename: string;
  /** Media type as the part gave it, lower case; `text/plain` when it gave none (RFC 7578 section 4.4). */
  contentType: string;
  bytes: Uint8Array;
}

/** All values of one field, in order. */
export function fieldValues(form: Form, name: string): string[] {
  return form.fields.filter((field) => field.name === name).map((field) => field.value);
}

/** All files sent under one name, in order. */
export function filesNamed(form: Form, name: string): FormFile[] {
  return form.files.filter((file) => file.name === name);
}
