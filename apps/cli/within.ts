/**
 * Does work that ends after so many milliseconds, or with `stop`, by its signal. Node 20 collects a signal of
 * `AbortSignal.any` as garbage, and then the work never ends. Here the timer holds the signal.
 */
export async function within<T>(
  milliseconds: number,
  stop: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = () => ending.abort(stop?.reason);
  const timer = setTimeout(() => ending.abort(new DOMException('It took too long.', 'TimeoutError')), milliseconds);
  stop?.addEventListener('abort', end);
  if (stop?.aborted) end();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}
