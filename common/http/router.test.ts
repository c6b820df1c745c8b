import { describe, expect, it } from "vitest";
import { Router } from "./router.js";

const router = new Router(
  [
    { method: "GET", path: "/" },
    { method: "GET", path: "/model/*" },
    { method: "DELETE", path: "/model/*" },
    { method: "GET", path: "/model" },
    { method: "POST", path: "/model" },
    { method: "GET", path: "/agents/:agent/versions/:number" },
    { method: "GET", path: "/agents/:agent/versions/latest" },
    { method: "GET", path: "/*" },
  ].map((route, index) => ({ ...route, index })),
);

const found = (method: string, path: string): unknown => {
  const match = router.match(method, path);
  return match.type === "route"
    ? `${match.route.method} ${match.route.path} ${JSON.stringify(match.parameters)}`
    : match;
};

describe("Router", () => {
  it.each([
    ["GET", "/", "GET / {}"],
    ["HEAD", "/model", "GET /model {}"],
    ["GET", "//model", "GET /model {}"],
    ["GET", "/model/7/cover", "GET /model/* {}"],
    ["GET", "/model/", "GET /model {}"],
    ["GET", "/model/7/cover/", "GET /model/* {}"],
    ["GET", "/agents/a/versions/latest/", 'GET /agents/:agent/versions/latest {"agent":"a"}'],
    ["GET", "/agents/a/versions//", "GET /* {}"],
    ["GET", "/agents/a%20b/versions/3", 'GET /agents/:agent/versions/:number {"agent":"a b","number":"3"}'],
    ["GET", "/agents/a/versions/latest", 'GET /agents/:agent/versions/latest {"agent":"a"}'],
    ["GET", "/agents/%zz/versions/3", "GET /* {}"],
    ["GET", "/agents//versions/3", "GET /* {}"],
    ["GET", "/elsewhere", "GET /* {}"],
  ])("%s %s leads to %s", (method, path, expected) => {
    expect(found(method, path)).toBe(expected);
  });

  it("names the methods of a path that exists", () => {
    const narrow = new Router([
      { method: "POST", path: "/v1/tts" },
      { method: "GET", path: "/model/*" },
    ]);
    expect(narrow.match("GET", "/v1/tts")).toEqual({
      type: "methods",
      allow: ["OPTIONS", "POST"],
      routes: [{ method: "POST", path: "/v1/tts" }],
    });
    expect(narrow.match("PUT", "/model/1")).toEqual({
      type: "methods",
      allow: ["GET", "HEAD", "OPTIONS"],
      routes: [{ method: "GET", path: "/model/*" }],
    });
    expect(narrow.match("GET", "/v1/tts/more")).toEqual({ type: "nothing" });
    expect(narrow.match("GET", "/V1/tts")).toEqual({ type: "nothing" });
  });

  it("takes those of the closest pattern alone", () => {
    const layered = new Router(
      ["GET /a/b", "PUT /a/:b", "DELETE /a/*", "POST /*"].map((line) => ({
        method: line.split(" ")[0] ?? "",
        path: line.split(" ")[1] ?? "",
      })),
    );
    const allowed = (path: string): unknown => {
      const match = layered.match("PATCH", path);
      return match.type === "methods" ? match.allow : match.type;
    };
    expect([allowed("/a/b"), allowed("/a/c"), allowed("/a/b/c"), allowed("/z")]).toEqual([
      ["GET", "HEAD", "OPTIONS"],
      ["OPTIONS", "PUT"],
      ["DELETE", "OPTIONS"],
      ["OPTIONS", "POST"],
    ]);
  });
});
