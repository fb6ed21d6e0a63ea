interface Crypto {
  readonly subtle: {
    importKey(form: 'raw', key: Uint8Array, algorithm: object, extractable: false, uses: string[]): Promise<object>;
    verify(algorithm: 'HMAC', key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
  };
}

declare const atob: (base64: string) => string;
declare const crypto: Crypto;
declare const TextDecoder: new (label: 'utf-8', options: { fatal: true }) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> };

/** An event, as in the guide to webhooks. Later versions may add fields. */
export interface WebhookEvent {
  /** Stays the same if the event is sent again. */
  readonly id: string;
  /** Such as `license.revoked`. */
  readonly event: string;
  readonly timestamp: string;
  readonly livemode: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `Headers`, or the headers of a request in Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/**
 * Why a request is refused: a header is missing; it is too old, or from the future; no secret fits; or it is signed, but
 * not an event.
 */
export type WebhookFault = 'missing_header' | 'wrong_time' | 'wrong_signature' | 'bad_body';

/** The request is not from Latchkey, or it is too old. Answer with status 400. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault) {
    super(`The webhook is refused: ${reason}.`);
    this.reason = reason;
  }
}

export interface VerifyOptions {
  /**
   * `standard` (default) checks `webhook-signature`, which includes the time. `service` checks `X-Service-Signature`,
   * which does not: whoever recorded a request can send it again. Every request has both.
   */
  readonly form?: 'standard' | 'service';
  /** Seconds that the request may be old, or early. Default: 300. */
  readonly tolerance?: number;
  /** The time, in milliseconds. Default: now. */
  readonly now?: number;
}

/**
 * Returns the event if the request is from Latchkey. `body` is the body as it arrived, not parsed. While a secret is
 * changed, pass the old and the new one. Throws `WebhookRefused`, and a `TypeError` if a secret is not one.
 */
export async function verify(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { form = 'standard', tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = typeof body === 'string' ? encode(body) : new Uint8Array(body);
  const header = (name: string) => {
    const value = typeof headers.get === 'function' ? headers.get(name) : readHeader(headers, name);
    if (!value) throw new WebhookRefused('missing_header');
    return value;
  };
  const all = [secrets].flat();
  for (const secret of all)
    if (!/^whsec_[A-Za-z0-9+/=]+$/.test(secret)) throw new TypeError('A secret begins with whsec_.');

  let signatures: Uint8Array[];
  let signed: Uint8Array = bytes;
  let keyOf = encode;
  if (form === 'standard') {
    const time = header('webhook-timestamp');
    const start = encode(`${header('webhook-id')}.${time}.`);
    signatures = header('webhook-signature')
      .split(' ')
      .map((one) => (one.startsWith('v1,') ? fromBase64(one.slice(3)) : none));
    if (!/^\d+$/.test(time) || !(Math.abs(now / 1000 - Number(time)) <= tolerance))
      throw new WebhookRefused('wrong_time');
    const whole = new Uint8Array(start.length + bytes.length);
    whole.set(start);
    whole.set(bytes, start.length);
    signed = whole;
    keyOf = (secret) => fromBase64(secret.slice('whsec_'.length));
  } else {
    const [kind, hex = ''] = header('x-service-signature').split('=');
    signatures =
      kind === 'sha256' ? [Uint8Array.from(hex.match(/[\da-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16))] : [];
  }

  for (const secret of all) {
    const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return readEvent(bytes);
    }
  }
  throw new WebhookRefused('wrong_signature');
}

const none = new Uint8Array();

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return none;
  }
}

/** Node writes the names of headers in lower case. Other servers may not. */
function readHeader(headers: object, name: string): string | undefined {
  const [, value]: [string, unknown] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? ['', ''];
  return typeof value === 'string' ? value : undefined;
}

function readEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof event === 'object' && event !== null && 'event' in event) return event as WebhookEvent;
  } catch {
    // Refused below.
  }
  throw new WebhookRefused('bad_body');
}
