import { describe, expect, it } from "vitest";
import { MAX_KNOWLEDGE_BYTES } from "#protocol/knowledge";
import { displayFileName, readText } from "./upload.js";

const read = (bytes: Uint8Array | string, name = "a.md"): string => readText(Buffer.from(bytes), name);

describe("readText", () => {
  it("gives the text without a byte order mark and with line feeds", () => {
    expect(read("\ufeffa\r\nb\rc\td\f 🙂")).toBe("a\nb\nc\td\f 🙂");
    expect(read("x".repeat(MAX_KNOWLEDGE_BYTES))).toHaveLength(MAX_KNOWLEDGE_BYTES);
  });

  const names = [
    "a.md",
    "A.MD",
    "a.txt",
    "a.markdown",
    "a.text",
    "README",
    "",
    "C:\\docs\\a.md",
    "my.notes.txt",
    "dir.v2/README",
  ];
  it.each(names)("takes the name %j", (name) => {
    expect(read("text", name)).toBe("text");
  });

  it.each<[string, Uint8Array | string, string?]>([
    ["nothing", ""],
    ["white space", " \n\t"],
    ["a byte order mark alone", "\ufeff"],
    ["one byte too many", "x".repeat(MAX_KNOWLEDGE_BYTES + 1)],
    ["Latin-1", Buffer.from([0x63, 0xe9])],
    ["UTF-16", Buffer.from("\ufefftext", "utf16le")],
    ["an overlong form", Buffer.from([0xc0, 0xaf])],
    ["half a character", Buffer.from([0xe2, 0x82])],
    ["NUL", "a\u0000b"],
    ["a PDF", "%PDF-1.7\n%\u0001"],
    ["a PDF's name", "text", "a.pdf"],
    ["a Word document's name", "text", "a.docx"],
    ["a web page's name", "text", "a.html"],
  ])("refuses %s", (_, bytes, name) => {
    expect(() => read(bytes, name)).toThrow(expect.objectContaining({ code: "unreadable_knowledge", status: 400 }));
  });
});

it.each([
  ["faq.md", "faq.md"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\me\\faq.md", "faq.md"],
  ["a\u0000b\r\n.md", "ab.md"],
  ["  ", "source.txt"],
  ["", "source.txt"],
  ["x".repeat(300), "x".repeat(255)],
])("displayFileName makes %j into %j", (name, shown) => {
  expect(displayFileName(name)).toBe(shown);
});
