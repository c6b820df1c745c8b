import { type Phones, transcribe, withS } from "./phones.js";
import { type Neighbours, saysNoun, saysVerb } from "./word-class.js";

/** A word with two readings and what chooses the second. */
interface Homograph {
  usual: Phones;
  other: Phones;
  isOther: (around: Neighbours) => boolean;
}

const table = new Map<string, Homograph>();

function add(word: string, usual: string, other: string, isOther: (around: Neighbours) => boolean): void {
  table.set(word, { usual: transcribe(usual), other: transcribe(other), isOther });
}

const oneOf = (list: string): ((word: string) => boolean) => {
  const words = new Set(list.split(" "));
  return (word) => words.has(word);
};

/** Nouns and adjectives that are verbs in another form: the noun stands first. */
const nounsAndVerbs: readonly (readonly [word: string, noun: string, verb: string])[] = [
  ["record", "ɹˈɛkɝd", "ɹəkˈɔɹd"],
  ["object", "ˈɑbʤɛkt", "əbʤˈɛkt"],
  ["present", "pɹˈɛzənt", "pɹizˈɛnt"],
  ["project", "pɹˈɑʤɛkt", "pɹəʤˈɛkt"],
  ["produce", "pɹˈᴏdus", "pɹədˈus"],
  ["permit", "pˈɝmɪt", "pɝmˈɪt"],
  ["conduct", "kˈɑndəkt", "kəndˈʌkt"],
  ["conflict", "kˈɑnflɪkt", "kənflˈɪkt"],
  ["contest", "kˈɑntɛst", "kəntˈɛst"],
  ["contract", "kˈɑntɹækt", "kəntɹˈækt"],
  ["contrast", "kˈɑntɹæst", "kəntɹˈæst"],
  ["convert", "kˈɑnvɝt", "kənvˈɝt"],
  ["convict", "kˈɑnvɪkt", "kənvˈɪkt"],
  ["decrease", "dˈikɹis", "dɪkɹˈis"],
  ["increase", "ˈɪnkɹis", "ɪnkɹˈis"],
  ["desert", "dˈɛzɝt", "dɪzˈɝt"],
  ["digest", "dˈᴉʤɛst", "dᴉʤˈɛst"],
  ["discount", "dˈɪskᴡnt", "dɪskˈᴡnt"],
  ["escort", "ˈɛskɔɹt", "ɛskˈɔɹt"],
  ["export", "ˈɛkspɔɹt", "ɛkspˈɔɹt"],
  ["extract", "ˈɛkstɹækt", "ɪkstɹˈækt"],
  ["import", "ˈɪmpɔɹt", "ɪmpˈɔɹt"],
  ["impact", "ˈɪmpækt", "ɪmpˈækt"],
  ["insert", "ˈɪnsɝt", "ɪnsˈɝt"],
  ["insult", "ˈɪnsʌlt", "ɪnsˈʌlt"],
  ["progress", "pɹˈɑgɹɛs", "pɹəgɹˈɛs"],
  ["protest", "pɹˈᴏtɛst", "pɹətˈɛst"],
  ["rebel", "ɹˈɛbəl", "ɹɪbˈɛl"],
  ["refund", "ɹˈifənd", "ɹɪfˈʌnd"],
  ["reject", "ɹˈiʤɛkt", "ɹɪʤˈɛkt"],
  ["segment", "sˈɛgmənt", "sɛgmˈɛnt"],
  ["subject", "sˈʌbʤɪkt", "səbʤˈɛkt"],
  ["survey", "sˈɝvᴀ", "sɝvˈᴀ"],
  ["suspect", "sˈʌspɛkt", "səspˈɛkt"],
  ["torment", "tˈɔɹmɛnt", "tɔɹmˈɛnt"],
  ["transfer", "tɹˈænsfɝ", "tɹænsfˈɝ"],
  ["transport", "tɹˈænspɔɹt", "tɹænspˈɔɹt"],
  ["update", "ˈʌpdᴀt", "əpdˈᴀt"],
  ["upgrade", "ˈʌpgɹᴀd", "əpgɹˈᴀd"],
  ["address", "ˈædɹɛs", "ədɹˈɛs"],
  ["attribute", "ˈætɹəbjut", "ətɹˈɪbjut"],
  ["combine", "kˈɑmbᴉn", "kəmbˈᴉn"],
  ["compound", "kˈɑmpᴡnd", "kəmpˈᴡnd"],
  ["compress", "kˈɑmpɹɛs", "kəmpɹˈɛs"],
  ["console", "kˈɑnsᴏl", "kənsˈᴏl"],
  ["construct", "kˈɑnstɹəkt", "kənstɹˈʌkt"],
  ["defect", "dˈifɛkt", "dɪfˈɛkt"],
  ["exploit", "ˈɛksplʏt", "ɪksplˈʏt"],
  ["invite", "ˈɪnvᴉt", "ɪnvˈᴉt"],
  ["refuse", "ɹˈɛfjus", "ɹɪfjˈuz"],
  ["research", "ɹˈisɝʧ", "ɹɪsˈɝʧ"],
  ["relay", "ɹˈilᴀ", "ɹɪlˈᴀ"],
  ["recall", "ɹˈikɔl", "ɹɪkˈɔl"],
  ["use", "jˈus", "jˈuz"],
  ["house", "hˈᴡs", "hˈᴡz"],
  ["excuse", "ɪkskjˈus", "ɪkskjˈuz"],
  ["abuse", "əbjˈus", "əbjˈuz"],
  ["separate", "sˈɛpɹət", "sˈɛpɝˌᴀt"],
  ["estimate", "ˈɛstəmət", "ˈɛstəmˌᴀt"],
  ["graduate", "gɹˈæʤəwət", "gɹˈæʤəwˌᴀt"],
  ["moderate", "mˈɑdɝət", "mˈɑdɝˌᴀt"],
  ["duplicate", "dˈupləkət", "dˈupləkˌᴀt"],
  ["deliberate", "dɪlˈɪbɝət", "dɪlˈɪbɝˌᴀt"],
  ["alternate", "ˈɔltɝnət", "ˈɔltɝnˌᴀt"],
  ["appropriate", "əpɹˈᴏpɹiət", "əpɹˈᴏpɹiˌᴀt"],
  ["approximate", "əpɹˈɑksəmət", "əpɹˈɑksəmˌᴀt"],
  ["associate", "əsˈᴏsiət", "əsˈᴏsiˌᴀt"],
  ["coordinate", "kᴏˈɔɹdənət", "kᴏˈɔɹdənˌᴀt"],
  ["delegate", "dˈɛləgət", "dˈɛləgˌᴀt"],
  ["elaborate", "ɪlˈæbɹət", "ɪlˈæbɝˌᴀt"],
  ["advocate", "ˈædvəkət", "ˈædvəkˌᴀt"],
  ["aggregate", "ˈægɹəgət", "ˈægɹəgˌᴀt"],
  ["animate", "ˈænəmət", "ˈænəmˌᴀt"],
  ["conglomerate", "kənglˈɑmɝət", "kənglˈɑmɝˌᴀt"],
  ["document", "dˈɑkjəmənt", "dˈɑkjəmˌɛnt"],
  ["implement", "ˈɪmpləmənt", "ˈɪmpləmˌɛnt"],
  ["supplement", "sˈʌpləmənt", "sˈʌpləmˌɛnt"],
];

/** Of these the verb is what is usually meant. */
const mostlyVerbs = new Set(
  "produce convert insert combine compress refuse invite recall extract separate use excuse permit reject".split(" "),
);

for (const [word, noun, verb] of nounsAndVerbs) {
  if (mostlyVerbs.has(word)) add(word, verb, noun, (around) => saysNoun(around) && !saysVerb(around));
  else add(word, noun, verb, (around) => saysVerb(around));
}

const shownLive = oneOf(
  "music show shows stream streams streaming broadcast audio video coverage performance concert tv event events feed data update updates session " +
    "chat demo captions transcript speech voice action wire bait",
);
const helpers = oneOf(
  "have has had having been was were is be being get got are i've you've we've they've he's she's it's",
);
add(
  "read",
  "ɹˈid",
  "ɹˈɛd",
  ({ before, beforeThat, past }) =>
    helpers(before) ||
    (helpers(beforeThat) && !saysTo(before)) ||
    (past && !saysTo(before)) ||
    oneOf("he she it")(before),
);
add(
  "lead",
  "lˈid",
  "lˈɛd",
  ({ before, after }) =>
    oneOf("pipe pipes paint poisoning acid weight weights pencil shielding free")(after) ||
    oneOf("of molten liquid")(before),
);
add(
  "live",
  "lˈɪv",
  "lˈᴉv",
  ({ before, after }) =>
    shownLive(after) || oneOf("a went go goes going is are was broadcast performed recorded")(before),
);
add(
  "lives",
  "lˈɪvz",
  "lˈᴉvz",
  ({ before }) =>
    oneOf("our their your my his her many the of human save saves saved saving lost several these those all whose")(
      before,
    ) || /^(?:[a-z]*ty|two|three|four|five|six|seven|eight|nine|ten)$/.test(before),
);
add("wind", "wˈɪnd", "wˈᴉnd", ({ before, after }) => oneOf("up down around back through")(after) || before === "to");
add("winds", "wˈɪndz", "wˈᴉndz", ({ after }) => oneOf("up down around through its")(after));
add("wound", "wˈund", "wˈᴡnd", ({ after }) => oneOf("up down around through back")(after));
add(
  "tear",
  "tˈɪɹ",
  "tˈɛɹ",
  (around) =>
    saysVerb(around) || oneOf("down apart up off out into through the")(around.after) || around.after === "it",
);
add(
  "tears",
  "tˈɪɹz",
  "tˈɛɹz",
  ({ after, before }) => oneOf("down apart up off through")(after) || oneOf("it he she")(before),
);
add(
  "bow",
  "bˈᴏ",
  "bˈᴡ",
  (around) => saysVerb(around) || oneOf("take takes took")(around.beforeThat) || oneOf("down before")(around.after),
);
add("bass", "bˈᴀs", "bˈæs", ({ after, before }) => oneOf("fishing boat")(after) || oneOf("sea caught")(before));
add(
  "minute",
  "mˈɪnət",
  "mᴉnˈut",
  ({ before, after }) =>
    oneOf("very extremely so")(before) || oneOf("details amount amounts quantities differences particles")(after),
);
add(
  "close",
  "klˈᴏz",
  "klˈᴏs",
  ({ before, after }) =>
    (oneOf("to enough by friend friends call range relationship attention look together")(after) &&
      !oneOf("to will please")(before)) ||
    oneOf("very so too how as is are was were get gets got come comes came stay")(before),
);
add(
  "content",
  "kˈɑntɛnt",
  "kəntˈɛnt",
  ({ before, after }) =>
    oneOf("is was be am are were feel feels felt quite very perfectly seem seemed i'm he's she's")(before) &&
    !oneOf("of in")(after),
);
add("resume", "ɹɪzˈum", "ɹˈɛzəmˌᴀ", (around) => saysNoun(around));
add(
  "invalid",
  "ɪnvˈælɪd",
  "ˈɪnvəlɪd",
  ({ before, after }) => oneOf("an the")(before) && oneOf("lay was sat in who")(after),
);
add(
  "perfect",
  "pˈɝfɪkt",
  "pɝfˈɛkt",
  (around) =>
    around.before === "to" || (saysVerb(around) && oneOf("the our your my their his her its it")(around.after)),
);
add("intimate", "ˈɪntəmət", "ˈɪntəmˌᴀt", (around) => saysVerb(around));
add("polish", "pˈɑlɪʃ", "pˈᴏlɪʃ", ({ capital }) => capital);
add("job", "ʤˈɑb", "ʤˈᴏb", ({ capital, before }) => capital && oneOf("of patience")(before));
add(
  "used",
  "jˈuzd",
  "jˈust",
  ({ before, after }) => after === "to" && !oneOf("is are was were be been being widely commonly often")(before),
);
add("dove", "dˈʌv", "dˈᴏv", ({ after, before }) => oneOf("into in off under down")(after) && !oneOf("a the")(before));
add("sow", "sˈᴏ", "sˈᴡ", ({ before }) => oneOf("a the old")(before));
add("row", "ɹˈᴏ", "ɹˈᴡ", () => false);
add("buffet", "bəfˈᴀ", "bˈʌfət", (around) => saysVerb(around));
add("bases", "bˈᴀsəz", "bˈᴀsiz", ({ before }) => oneOf("theoretical legal")(before));
add("axes", "ˈæksəz", "ˈæksiz", ({ before }) => oneOf("x y both coordinate three two vertical horizontal the")(before));
add("does", "dˈʌz", "dˈᴏz", ({ before, after }) => before === "the" && oneOf("and were are ran")(after));

function saysTo(word: string): boolean {
  return oneOf(
    "to will would can could should may might must please not i'll you'll we'll they'll don't didn't doesn't do did does",
  )(word);
}

/**
 * The pronunciation of a word that has two, by the words around it; null for words that have one. Their forms in -s
 * follow.
 */
export function homograph(word: string, around: Neighbours): Phones | null {
  const found = table.get(word);
  if (found !== undefined) return found.isOther(around) ? found.other : found.usual;
  const singular = word.endsWith("sses") ? word.slice(0, -2) : word.endsWith("s") ? word.slice(0, -1) : "";
  const base = inflected.has(singular) ? table.get(singular) : undefined;
  return base === undefined ? null : withS(base.isOther(around) ? base.other : base.usual);
}

const inflected = new Set([...nounsAndVerbs.map(([word]) => word), "tear"]);
