/** So many texts about one field, and so many fields. Nobody reads more, and each of them takes time and memory. */
const most = { texts: 20, fields: 100 };

/** Collects what is wrong with fields: each text once, and no more than a person reads. */
export interface Faults {
  add(field: string, text: string): void;
  /** Replaces what is known about a field. */
  set(field: string, texts: readonly string[]): void;
  readonly all: Readonly<Record<string, readonly string[]>>;
}

export function createFaults(known: Readonly<Record<string, readonly string[]>> = {}): Faults {
  // A map, because a field may have any name, also `__proto__`.
  const faults = new Map(Object.entries(known).map(([field, texts]) => [field, new Set(texts)]));
  const of = (field: string): Set<string> | undefined => {
    const texts = faults.get(field) ?? new Set<string>();
    if (!faults.has(field) && faults.size >= most.fields) return undefined;
    faults.set(field, texts);
    return texts;
  };
  return {
    add(field, text) {
      const texts = of(field);
      if (texts !== undefined && texts.size < most.texts) texts.add(text);
    },
    set(field, texts) {
      if (of(field) !== undefined) faults.set(field, new Set(texts));
    },
    get all() {
      return Object.fromEntries(Array.from(faults, ([field, texts]) => [field, [...texts]]));
    },
  };
}
