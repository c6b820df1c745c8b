/** What kinds of words there are for intonation; a word's kind is the index of its name here. */
export const wordKinds = [
  "other",
  "article",
  "possessive",
  "demonstrative",
  "quantity",
  "number",
  "preposition",
  "particle",
  "and",
  "conjunction",
  "subject",
  "object",
  "reflexive",
  "be",
  "have",
  "do",
  "modal",
  "to",
  "negation",
  "question word",
  "there",
  "adverb",
  "degree",
  "common verb",
  "name",
  "ends in -ing",
  "ends in -ed",
  "ends in -ly",
  "noun by its ending",
  "adjective by its ending",
  "ends in -s",
] as const;

type WordKind = (typeof wordKinds)[number];

const listed: Partial<Record<WordKind, string>> = {
  article: "a an the",
  possessive: "my your his its our their whose",
  demonstrative: "this that these those such",
  quantity:
    "some any no all both each every many much few several more most less least other another others same own half enough none either neither",
  number:
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
    "twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion first second third fourth fifth sixth seventh " +
    "eighth ninth tenth once twice dozen",
  preposition:
    "of in for on at by with from into upon about after before between through during under over against among without within toward " +
    "towards across behind beyond near around along since until till except per via onto beneath beside besides above below despite like",
  particle: "up out off down away back",
  and: "and or nor but",
  conjunction: "as if than because although though while whereas unless whether so that's lest",
  subject: "i he she we they it you who",
  object: "me him her us them",
  reflexive: "myself himself herself itself ourselves themselves yourself yourselves",
  be: "is are was were be been being am i'm it's he's she's we're they're you're",
  have: "have has had having i've we've they've you've",
  do: "do does did done doing",
  modal: "can could will would shall should may might must ought i'll we'll they'll he'll she'll you'll it'll",
  to: "to",
  negation:
    "not never cannot don't doesn't didn't won't wouldn't can't couldn't isn't aren't wasn't weren't hasn't haven't hadn't shouldn't nothing nobody nowhere",
  "question word":
    "what which whom when where why how what's where's how's when's whatever whoever whenever wherever however",
  there: "there here then now thus",
  adverb:
    "again always also ever often perhaps yet still already soon later today tomorrow yesterday together therefore too else just only even " +
    "indeed alone away apart instead sometimes once rather almost quite",
  degree: "very so too more most quite rather almost nearly",
  "common verb":
    "say said says go goes went gone going get got come came take took taken make made see saw seen know knew known think thought give gave " +
    "given find found tell told let put seem seemed became become began begun kept keep left felt held brought stood heard ran sat looked asked",
};

const kindOf = new Map<string, WordKind>();
for (const kind of wordKinds) {
  for (const word of (listed[kind] ?? "").split(" ")) if (word !== "" && !kindOf.has(word)) kindOf.set(word, kind);
}

const endings: readonly (readonly [ending: RegExp, kind: WordKind])[] = [
  [/..ing$/, "ends in -ing"],
  [/..ed$/, "ends in -ed"],
  [/..ly$/, "ends in -ly"],
  [/(?:tion|sion|ment|ness|ity|ance|ence|ship|hood|ism|ist|dom|age|ery|ure|tions|ments|ities)$/, "noun by its ending"],
  [/(?:ous|ful|less|able|ible|ive|ical|ial|ish|ary|ent|ant|al|ic)$/, "adjective by its ending"],
  [/[^s]s$/, "ends in -s"],
];

/** The kind of a word as an index into `wordKinds`; `isName` says that it is written with a capital inside a sentence. */
export function wordKind(word: string, isName: boolean): number {
  const lower = word.toLowerCase();
  const kind =
    kindOf.get(lower) ??
    (isName ? "name" : word.length > 4 ? endings.find(([ending]) => ending.test(lower))?.[1] : undefined) ??
    "other";
  return wordKinds.indexOf(kind);
}
