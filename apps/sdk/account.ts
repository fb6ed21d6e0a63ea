import { type AccountClient, clientOf, type Transport } from './account/client.ts';
import { AccountFailure, readAnswer } from './account/failure.ts';
import { send } from './account/send.ts';

export type { FailureCode } from './account/api.ts';
export type { AccountClient } from './account/client.ts';
export { AccountFailure, type NoAnswer } from './account/failure.ts';
export type { CallOptions, FileLike, Progress } from './account/types.ts';

export interface AccountOptions {
  /** The address of the server, such as `https://api.example.com`. */
  readonly url: string;
  readonly apiKey: string;
}

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
declare const setTimeout: (act: () => void, milliseconds: number) => unknown;

/** Seconds. */
const longestRest = 10;

export function createAccountClient({ url, apiKey }: AccountOptions): AccountClient {
  const base = String(url).replace(/\/+$/, '');
  if (!/^https?:\/\/./i.test(base)) throw new TypeError('createAccountClient: url is missing or wrong.');
  if (!apiKey) throw new TypeError('createAccountClient: apiKey is missing.');

  const transport: Transport = async (method, address, options) => {
    const { body, csv, form, onProgress, signal } = options;
    const idempotencyKey = method === 'POST' ? (options.idempotencyKey ?? randomKey()) : undefined;
    const sent = {
      method,
      url: base + address,
      headers: {
        'X-API-Key': apiKey,
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(csv !== undefined && { 'Content-Type': 'text/csv' }),
      },
      body: csv ?? (body === undefined ? undefined : JSON.stringify(body)),
      form: form && Object.fromEntries(Object.entries(form)),
      onProgress,
      signal,
      timeout: options.timeout ?? (form ? undefined : 30_000),
      idempotencyKey,
    };
    try {
      return readAnswer(await send(sent), idempotencyKey);
    } catch (failure) {
      const rest = failure instanceof AccountFailure ? restBefore(method, failure) : undefined;
      if (rest === undefined) throw failure;
      await new Promise<void>((resolve) => setTimeout(resolve, 1000 * rest));
      return readAnswer(await send(sent), idempotencyKey);
    }
  };
  return clientOf(transport);
}

/** Seconds to wait before the call is repeated. `undefined` if it must not be. */
function restBefore(method: string, { status, code, retryAfter }: AccountFailure): number | undefined {
  const isRefusedForNow = (status === 429 || status === 503) && retryAfter !== undefined && retryAfter <= longestRest;
  if (isRefusedForNow) return retryAfter;
  return method === 'GET' && (code === 'NETWORK' || status === 502 || status === 503 || status === 504) ? 1 : undefined;
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages without https. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
