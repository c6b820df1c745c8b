import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import { transcriptionModel } from "#protocol/transcription/request";
import type { Config } from "#common/config/config";

/** The recognizer that will recognize a request. */
export interface ChosenRecognizer {
  folder: string;
  /** BCP-47 language that the caller named, or null. */
  language: string | null;
}

const ANY_LANGUAGE = "*";

/**
 * Chooses among the loaded recognizers: the first that `PARLEY_MODEL_MAP` names for `transcribe-1` and that knows the
 * language, else any that does. Throws `no_worker` when none is loaded, and `unknown_language`, which lists what there
 * is.
 */
export function chooseRecognizer(
  served: readonly ServedModel[],
  asked: string | undefined,
  config: Pick<Config, "PARLEY_MODEL_MAP">,
): ChosenRecognizer {
  if (served.length === 0) throw new ServiceError("no_worker", { parameters: { model: transcriptionModel } });
  const preferred = (config.PARLEY_MODEL_MAP[transcriptionModel] ?? transcriptionModel).split("+");
  const rank = ({ name }: ServedModel): number =>
    preferred.includes(name) ? preferred.indexOf(name) : preferred.length;
  const inOrder = served.toSorted((a, b) => rank(a) - rank(b));
  const language = asked === undefined ? null : canonicalLanguage(asked);
  const knows = ({ languages }: ServedModel): boolean =>
    asked === undefined ||
    languages.includes(ANY_LANGUAGE) ||
    (language !== null && languages.includes(primarySubtag(language)));
  const chosen = inOrder.find(knows);
  if (chosen === undefined) throw new ServiceError("unknown_language", { parameters: { languages: listed(served) } });
  return { folder: chosen.name, language };
}

function listed(served: readonly ServedModel[]): string {
  return [...new Set(served.flatMap(({ languages }) => languages))].sort().join(", ");
}

/** The BCP-47 form of a language code, such as `en` for `eng` and `en-US` for `EN-us`; null for what is none. */
function canonicalLanguage(code: string): string | null {
  try {
    return Intl.getCanonicalLocales(code.replaceAll("_", "-"))[0] ?? null;
  } catch {
    return null; // it throws for everything that is no language tag
  }
}

const primarySubtag = (tag: string): string => tag.split("-")[0] ?? tag;

/** Code and English name of a recognized language, where there are such. */
export function describeLanguage(tag: string | null): { language_code?: string; language?: string } {
  const code = tag === null ? null : canonicalLanguage(tag);
  if (code === null || code === "und") return {};
  const name = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(primarySubtag(code));
  return { language_code: primarySubtag(code), ...(name === undefined ? {} : { language: name }) };
}
