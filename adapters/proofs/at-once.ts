/** Runs work for several names, or returns `undefined` at once if too much work of one of the names runs already. */
type AtOnce = <T>(names: readonly string[], work: () => Promise<T>) => Promise<T | undefined>;

/** `most`: the work that runs at a time, altogether and of one name. A name without work uses no memory. */
export function createAtOnce(most: { readonly all: number; readonly ofOne: number }): AtOnce {
  let all = 0;
  const running = new Map<string, number>();
  const count = (name: string, by: 1 | -1) => {
    const after = (running.get(name) ?? 0) + by;
    if (after === 0) running.delete(name);
    else running.set(name, after);
  };
  return async (names, work) => {
    if (all >= most.all || names.some((name) => (running.get(name) ?? 0) >= most.ofOne)) return undefined;
    all += 1;
    for (const name of names) count(name, 1);
    try {
      return await work();
    } finally {
      all -= 1;
      for (const name of names) count(name, -1);
    }
  };
}
