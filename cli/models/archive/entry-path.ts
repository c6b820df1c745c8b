import { CommandError } from "../../command.js";
import type { ModelLimits } from "../limits.js";

/**
 * The path of an archive's entry inside the folder it is unpacked into, empty for that folder itself. Throws
 * CommandError for names that would leave it or that mean different things on different machines: nothing is repaired,
 * since an archive with such a name is an attack or broken.
 */
export function entryPath(name: string, limits: Pick<ModelLimits, "pathCharacters" | "folderDepth">): string {
  const refuse = (why: string): never => {
    throw new CommandError(`the archive holds an entry ${why}: ${JSON.stringify(name.slice(0, 100))}`);
  };
  if (name.length > limits.pathCharacters) refuse("with too long a name");
  if (/[\u0000-\u001f\u007f\\:]/.test(name)) refuse("whose name has characters that are not allowed");
  if (name.startsWith("/")) refuse("with an absolute path");
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) refuse("that leads out of its folder");
  if (parts.length > limits.folderDepth) refuse("in too deep a folder");
  return parts.join("/");
}
