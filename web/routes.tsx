import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { SignIn } from "./session/sign-in.js";
import { NotFound } from "./shell/not-found.js";
import { Shell } from "./shell/shell.js";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: SignIn,
  // Where to go on: a page of the console, never an address elsewhere.
  validateSearch: ({ back }): { back?: string } =>
    typeof back === "string" && /^\/(?![/\\])/.test(back) ? { back } : {},
});

const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in", component: Shell });

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home.js"), "Home"),
});

/** The console's addresses, all below `/console`. A section's code is loaded when it is opened. */
export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([home])]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
