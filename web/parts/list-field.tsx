import { type ReactNode, useId } from "react";
import { Button } from "react-aria-components/Button";

interface ListFieldProps<Item> {
  label: string;
  help?: string | undefined;
  problem?: string | undefined;
  items: readonly Item[];
  /** What one of them is called, in the singular: "criterion". */
  noun: string;
  onChange: (items: Item[]) => void;
  newItem: () => Item;
  /** The fields of one item. */
  children: (item: Item, change: (part: Partial<Item>) => void, index: number) => ReactNode;
}

/** Several things of a kind, each with fields of its own; they are added and removed. */
export function ListField<Item extends object>(props: ListFieldProps<Item>) {
  const { label, help, problem, items, noun, onChange, newItem, children } = props;
  const id = useId();
  const change = (index: number, part: Partial<Item>): void =>
    onChange(items.map((item, at) => (at === index ? { ...item, ...part } : item)));
  return (
    <fieldset className="list-field" aria-describedby={help === undefined ? undefined : id}>
      <legend>{label}</legend>
      {help === undefined ? null : (
        <p id={id} className="help">
          {help}
        </p>
      )}
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has no name of its own, and every field is controlled
        <div key={index} className="list-item">
          {children(item, (part) => change(index, part), index)}
          <Button
            className="button quiet"
            aria-label={`Remove ${noun} ${index + 1}`}
            onPress={() => onChange(items.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      {problem === undefined ? null : (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <Button className="button quiet" onPress={() => onChange([...items, newItem()])}>
        Add {/^[aeiou]/.test(noun) ? "an" : "a"} {noun}
      </Button>
    </fieldset>
  );
}
