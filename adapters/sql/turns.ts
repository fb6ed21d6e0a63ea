/**
 * Runs one task at a time. A task that goes `first` waits only for the task that runs, and for one more if that went
 * first too. All others run in the order of the calls. So nobody waits for ever. A fair queue with two keys does not
 * promise this: it does not know whose task runs, so the oldest of the others could pass a task that goes first.
 */
export type Turns = <T>(task: () => Promise<T>, place?: 'first') => Promise<T>;

export function createTurns(): Turns {
  const first: (() => void)[] = [];
  const others: (() => void)[] = [];
  let isBusy = false;
  let wasFirst = false;

  /** Gives the turn away directly, so that a new task cannot overtake those that wait. */
  function pass(): void {
    const isFirst = first.length > 0 && (others.length === 0 || !wasFirst);
    const start = (isFirst ? first : others).shift();
    isBusy = start !== undefined;
    wasFirst = isFirst;
    start?.();
  }

  return async (task, place) => {
    if (isBusy) await new Promise<void>((start) => (place === 'first' ? first : others).push(start));
    else wasFirst = place === 'first';
    isBusy = true;
    try {
      return await task();
    } finally {
      pass();
    }
  };
}
