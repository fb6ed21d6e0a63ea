/** Returns a function that makes something at its first call, and then returns the same. After a failure, the next call tries again. */
export function onceMade<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Returns a function that is made at its first call, with `onceMade`. */
export function madeAtFirstCall<Of extends unknown[], Done>(
  make: () => Promise<(...of: Of) => Promise<Done>>,
): (...of: Of) => Promise<Done> {
  const made = onceMade(make);
  return async (...of) => (await made())(...of);
}
