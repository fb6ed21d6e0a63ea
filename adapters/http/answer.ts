import type { Reporter } from './exchange.ts';
import type { State } from './state.ts';

/* What the application and the shortcut have in common, so that an answer does not tell which of them gave it. */

type Headers = Readonly<Record<string, string>>;

export const noStore = { 'Cache-Control': 'no-store' };

export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: object;
}

/** How what was thrown is told to the client. */
export function refusalOf(error: unknown, state: State, reporter: Reporter): Refusal {
  const failure = reporter.failed(error, state);
  return {
    status: state.envelope.statusOf(failure.reason),
    headers: { ...failure.headers, ...noStore },
    body: state.envelope.bodyOf(failure),
  };
}
