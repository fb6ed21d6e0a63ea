/** Returns the error of a promise that rejects, or `undefined` if it resolves. */
export function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
