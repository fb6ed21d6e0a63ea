import type { Abort } from '../../../core/abort.ts';
import { silent } from './errors.ts';

/** The time for which a piece of work waits for a silent server. All its requests and their retries share it. */
export interface Patience {
  /** Aborted when the server was silent for too long, or the work was stopped. */
  readonly signal: AbortSignal;
  /** Begins the wait anew. */
  renew(): void;
  /** Notes that the server has taken this many bytes of a request. Bytes that a retry sends again do not count. */
  taken(request: string, bytes: number): void;
}

/** The requests of the SDK carry only a signal. */
const patiences = new WeakMap<AbortSignal, Patience>();

export function patienceOf(signal: unknown): Patience | undefined {
  return signal instanceof AbortSignal ? patiences.get(signal) : undefined;
}

/** Runs work until the server was silent for so many milliseconds, or `stop` is aborted. The requests need the signal. */
export async function patiently<T>(
  milliseconds: number,
  work: (patience: Patience) => Promise<T>,
  stop?: Abort,
): Promise<T> {
  const end = new AbortController();
  const { signal } = end;
  const timer = setTimeout(() => end.abort(silent('The server sent nothing for too long.')), milliseconds);
  const most = new Map<string, number>();
  const patience: Patience = {
    signal,
    renew() {
      if (!signal.aborted) timer.refresh();
    },
    taken(request, bytes) {
      if (bytes <= (most.get(request) ?? 0)) return;
      most.set(request, bytes);
      patience.renew();
    },
  };
  patiences.set(signal, patience);
  const leave = () => end.abort(stop?.reason);
  if (stop?.aborted) leave();
  stop?.addEventListener('abort', leave);
  try {
    return await work(patience);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', leave);
  }
}
