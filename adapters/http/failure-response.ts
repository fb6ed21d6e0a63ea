import type { Reporter } from './exchange.ts';
import type { Failure } from './failures.ts';
import type { State } from './state.ts';

/* Shared by the application and the shortcut, so that both send the same responses. */

type Headers = Readonly<Record<string, string>>;

export const noStore = { 'Cache-Control': 'no-store' };

export interface FailureResponse {
  readonly failure: Failure;
  readonly status: number;
  readonly headers: Headers;
  readonly body: object;
}

/** Turns a thrown error into the response for the client. */
export function responseTo(error: unknown, state: State, reporter: Reporter): FailureResponse {
  const failure = reporter.failed(error, state);
  return {
    failure,
    status: state.envelope.statusOf(failure.reason),
    headers: { ...failure.headers, ...noStore },
    body: state.envelope.bodyOf(failure),
  };
}
