import { Button } from "react-aria-components/Button";

interface MoreButtonProps {
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Reads on in a list; nothing where it is at its end. */
export function MoreButton({ pages: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreButtonProps) {
  if (!hasNextPage) return null;
  return (
    <p>
      <Button className="button quiet" isDisabled={isFetchingNextPage} onPress={() => fetchNextPage()}>
        Show more
      </Button>
    </p>
  );
}
