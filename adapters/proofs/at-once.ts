/** Runs work for a name, or returns `undefined` at once if too much work of that name, or altogether, runs already. */
type AtOnce = <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;

/** `most`: the work that runs at a time, altogether and of one name. A name without work uses no memory. */
export function createAtOnce(most: { readonly all: number; readonly ofOne: number }): AtOnce {
  let all = 0;
  const running = new Map<string, number>();
  const count = (name: string, by: 1 | -1) => {
    const after = (running.get(name) ?? 0) + by;
    all += by;
    if (after === 0) running.delete(name);
    else running.set(name, after);
  };
  return async (name, work) => {
    if (all >= most.all || (running.get(name) ?? 0) >= most.ofOne) return undefined;
    count(name, 1);
    try {
      return await work();
    } finally {
      count(name, -1);
    }
  };
}
