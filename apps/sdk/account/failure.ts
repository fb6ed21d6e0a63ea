import { fieldOf, readJson } from '../guard/answer.ts';
import type { FailureCode } from './api.ts';

/** Why there is no answer, or no answer of the account API. */
export type NoAnswer = 'NETWORK' | 'TIMEOUT' | 'BAD_ANSWER';

/** A call that was refused, or has no answer. */
export class AccountFailure extends Error {
  override readonly name = 'AccountFailure';
  /** 0 if there is no answer. */
  readonly status: number;
  /** Later versions of the server may send other codes. */
  readonly code: FailureCode | NoAnswer | (string & Record<never, never>);
  /** The messages about single fields, by the names of the fields. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Seconds to wait before the next call. */
  readonly retryAfter: number | undefined;
  /** For the operator, who finds the call in the log by it. */
  readonly requestId: string | undefined;
  /** Repeat a POST with it, if you do not know whether it was carried out. */
  readonly idempotencyKey: string | undefined;

  constructor(
    code: string,
    message: string,
    more: {
      readonly status?: number;
      readonly fields?: Readonly<Record<string, readonly string[]>>;
      readonly retryAfter?: number | undefined;
      readonly requestId?: string | undefined;
      readonly idempotencyKey?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.fields = more.fields ?? {};
    this.retryAfter = more.retryAfter;
    this.requestId = more.requestId;
    this.idempotencyKey = more.idempotencyKey;
  }
}

/** The HTTP response to a call. */
export interface Received {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

/** Returns the answer: JSON, or CSV as a text. Throws an `AccountFailure` for a refusal, or something that is no answer. */
export function readAnswer({ status, header, text }: Received, idempotencyKey: string | undefined): unknown {
  const kind = header('content-type') ?? '';
  const body = kind.startsWith('application/json') ? readJson(text) : undefined;
  const answer = kind.startsWith('text/csv') ? text : body;
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  const error = fieldOf(body, 'error');
  const code = fieldOf(error, 'code');
  const message = fieldOf(error, 'message');
  const wait = header('retry-after');
  throw new AccountFailure(
    typeof code === 'string' ? code : 'BAD_ANSWER',
    typeof message === 'string' ? message : `The server answered with status ${status}.`,
    {
      status,
      fields: readFields(fieldOf(error, 'fields')),
      retryAfter: wait && /^\d+$/.test(wait) ? Number(wait) : undefined,
      requestId: header('x-request-id') ?? undefined,
      idempotencyKey,
    },
  );
}

function readFields(value: unknown): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(Object(value)).map(([name, messages]) => [name, [messages].flat().map(String)]),
  );
}
