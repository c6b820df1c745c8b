import { type Operation, sampleAddress } from "#protocol/operations/operation";
import { type ExampleRequest, exampleRequest } from "./example-request.js";

/** One example of a call, as `x-codeSamples` of OpenAPI documents has them. */
export interface CodeSample {
  lang: "Shell" | "TypeScript" | "Python";
  label: string;
  source: string;
}

const KEY_VARIABLE = "PARLEY_API_KEY";

/** The example of an operation in three languages; a socket has curl's alone, since its messages are what matters. */
export function codeSamples(operation: Operation): CodeSample[] {
  const shell: CodeSample = { lang: "Shell", label: "curl", source: curlSample(operation, sampleAddress) };
  if (operation.success.status === 101) return [shell];
  const request = exampleRequest(operation);
  return [
    shell,
    { lang: "TypeScript", label: "TypeScript", source: typescriptSample(operation, request) },
    { lang: "Python", label: "Python", source: pythonSample(operation, request) },
  ];
}

/** The example as one line for a shell. */
export function curlSample({ method, path, curl, scope }: Operation, baseUrl: string): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(`"${baseUrl}${examplePath(path)}"`);
  if (scope !== null) parts.push(`-H "Authorization: Bearer $${KEY_VARIABLE}"`);
  // The method is said already.
  if (curl !== "" && !curl.startsWith("-X ")) parts.push(curl);
  return parts.join(" ");
}

/** A path with its placeholders as shell variables; the reader sets them. Of users only the caller himself is shown. */
export function examplePath(path: string): string {
  return withVariables(path, (name) => `$${name}`);
}

function withVariables(path: string, write: (variable: string) => string): string {
  return path
    .replace(":user_id", "self")
    .replace(/:(\w+)/g, (_, name: string) => write(name === "id" ? "VOICE_ID" : name.toUpperCase()));
}

const queryOf = ({ query }: ExampleRequest): string =>
  query.length === 0 ? "" : `?${new URLSearchParams(query).toString()}`;

const quoted = (text: string): string => JSON.stringify(text);

type AnswerKind = "file" | "json" | "text" | "nothing";

function answerKind({ success }: Operation, { output }: ExampleRequest): AnswerKind {
  if (output !== null) return "file";
  if (success.mediaTypes.length === 0) return "nothing";
  return success.mediaTypes[0] === "application/json" ? "json" : "text";
}

function typescriptSample(operation: Operation, request: ExampleRequest): string {
  const { method, path, scope } = operation;
  const files = request.form.filter(({ isFile }) => isFile);
  const kind = answerKind(operation, request);
  const key = `env.${KEY_VARIABLE}`;
  const used = [...(files.length > 0 ? ["openAsBlob"] : []), ...(kind === "file" ? ["writeFileSync"] : [])];
  const headers = [
    ...(scope === null ? [] : [`Authorization: \`Bearer \${${key}}\``]),
    ...request.headers.map(([name, value]) => `${quoted(name)}: ${quoted(value)}`),
  ];
  const body =
    request.json !== null
      ? [`  body: JSON.stringify(${request.json.replace(`"$${KEY_VARIABLE}"`, key)}),`]
      : request.form.length > 0
        ? ["  body: form,"]
        : [];
  const reads: Readonly<Record<AnswerKind, string[]>> = {
    file: [`writeFileSync(${quoted(request.output ?? "")}, Buffer.from(await response.arrayBuffer()));`],
    json: ["console.log(await response.json());"],
    text: ["console.log(await response.text());"],
    nothing: [],
  };
  const url = `\`${sampleAddress}${withVariables(path, (name) => `\${env.${name}}`)}${queryOf(request)}\``;
  const imports = [
    ...(used.length === 0 ? [] : [`import { ${used.join(", ")} } from "node:fs";`]),
    ...([url, ...headers, ...body].some((line) => line.includes("env."))
      ? ['import { env } from "node:process";']
      : []),
  ];
  return [
    ...imports,
    ...(imports.length === 0 ? [] : [""]),
    ...(request.form.length === 0 ? [] : ["const form = new FormData();"]),
    ...request.form.map(({ name, value, isFile }) =>
      isFile
        ? `form.append(${quoted(name)}, await openAsBlob(${quoted(value)}), ${quoted(value)});`
        : `form.append(${quoted(name)}, ${quoted(value)});`,
    ),
    `const response = await fetch(${url}, {`,
    `  method: ${quoted(method)},`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(", ")} },`]),
    ...body,
    "});",
    "if (!response.ok) throw new Error(String(response.status));",
    ...reads[kind],
  ].join("\n");
}

function pythonSample(operation: Operation, request: ExampleRequest): string {
  const { method, path, scope } = operation;
  const kind = answerKind(operation, request);
  const key = `os.environ["${KEY_VARIABLE}"]`;
  const headers = [
    ...(scope === null ? [] : [`"Authorization": "Bearer " + ${key}`]),
    // The library says itself that its body is JSON.
    ...request.headers
      .filter(([name]) => name !== "Content-Type")
      .map(([name, value]) => `${quoted(name)}: ${quoted(value)}`),
  ];
  const files = request.form.filter(({ isFile }) => isFile);
  const fields = request.form.filter(({ isFile }) => !isFile);
  const json =
    request.json === null ? null : pythonLiteral(JSON.parse(request.json)).replace(`"$${KEY_VARIABLE}"`, key);
  const address = withVariables(path, (name) => `{os.environ['${name}']}`);
  const url = `${address.includes("{") ? "f" : ""}"${sampleAddress}${address}${queryOf(request)}"`;
  const reads: Readonly<Record<AnswerKind, string[]>> = {
    file: [`open(${quoted(request.output ?? "")}, "wb").write(response.content)`],
    json: ["print(response.json())"],
    text: ["print(response.text)"],
    nothing: [],
  };
  const call = [
    `response = requests.${method.toLowerCase()}(`,
    `    ${url},`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(", ")}},`]),
    ...(json === null ? [] : [`    json=${json},`]),
    ...(fields.length === 0
      ? []
      : [`    data={${fields.map(({ name, value }) => `${quoted(name)}: ${quoted(value)}`).join(", ")}},`]),
    ...(files.length === 0
      ? []
      : [`    files={${files.map(({ name, value }) => `${quoted(name)}: open(${quoted(value)}, "rb")`).join(", ")}},`]),
    ")",
  ];
  const usesEnvironment = call.some((line) => line.includes("os.environ"));
  return [
    ...(usesEnvironment ? ["import os"] : []),
    "import requests",
    "",
    ...call,
    "response.raise_for_status()",
    ...reads[kind],
  ].join("\n");
}

function pythonLiteral(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, field]) => `${quoted(name)}: ${pythonLiteral(field)}`);
  return `{${entries.join(", ")}}`;
}
