import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiFailure } from "./api/request.js";
import { router } from "./routes.js";
import { sessionKey } from "./session/session.js";

const queries = new QueryClient({
  queryCache: new QueryCache({
    // A session may end while a page is open: whoever asks next finds out, and the shell leads to the sign-in.
    onError: (error, { queryKey }) => {
      const isOver = error instanceof ApiFailure && error.status === 401 && queryKey[0] !== sessionKey[0];
      if (isOver) void queries.resetQueries({ queryKey: sessionKey });
    },
  }),
  defaultOptions: {
    queries: {
      // A refusal stays one; what reached nobody, or a server that is briefly away, is asked again.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiFailure && isRefusal(error.status)),
      staleTime: 2000,
    },
  },
});

const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/** The whole console. */
export function Application() {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
