import type { ComponentChildren, VNode } from 'preact';
import type { Options } from './form.tsx';
import { listWords } from './words.ts';

/** The fields above a list that filter its rows. The address keeps their state. */
export function Filter({
  isActive,
  clear,
  more,
  isOpen = false,
  find: name = listWords.find,
  children,
}: {
  /** Whether any field filters rows. */
  readonly isActive: boolean;
  /** The address of the list without filters. */
  readonly clear: string;
  /** Fields that are folded away until somebody opens them. */
  readonly more?: ComponentChildren;
  /** Whether they are shown at once. */
  readonly isOpen?: boolean;
  /** The name of the button. */
  readonly find?: string;
  readonly children: ComponentChildren;
}): VNode {
  const find = (
    <button type="submit" class="button">
      {name}
    </button>
  );
  return (
    <search>
      <form method="get" class="filter">
        {children}
        {find}
        {isActive && <a href={clear}>{listWords.clear}</a>}
        {more && (
          <details class="folded-filters" open={isOpen}>
            <summary class="button">{listWords.filters}</summary>
            <div class="filter">
              {more}
              {find}
            </div>
          </details>
        )}
      </form>
    </search>
  );
}

interface FilterFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

export function FilterText({ name, label, value }: FilterFieldProps): VNode {
  return (
    <div>
      <label for={name}>{label}</label>
      <input type="search" id={name} name={name} value={value} dir="auto" autocomplete="off" />
    </div>
  );
}

export function FilterDate({ name, label, value }: FilterFieldProps): VNode {
  return (
    <div>
      <label for={name}>{label}</label>
      <input type="date" id={name} name={name} value={value} />
    </div>
  );
}

export function FilterSelect({ name, label, value, options }: FilterFieldProps & { readonly options: Options }): VNode {
  return (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
