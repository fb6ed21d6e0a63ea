/**
 * A client's request. `renew` always asks for a perpetual license, which it already is. The overlap of a move is in
 * hours: 0, or longer than a test.
 */
export type Call =
  | { readonly op: 'activate' | 'deactivate' | 'verify'; readonly domain: string }
  | { readonly op: 'move'; readonly domain: string; readonly to: string; readonly overlap: number }
  | { readonly op: 'status' }
  | { readonly op: 'suspend' | 'reinstate' | 'revoke' | 'renew' };

export type Op = Call['op'];

/** One call of a history. Its times are in milliseconds, measured by the process that recorded it. */
export interface Operation {
  readonly client: string;
  readonly license: string;
  readonly call: Call;
  /**
   * In the model's words. `undefined` if no answer came: the call may or may not have taken effect, or may still do
   * so.
   */
  readonly answer: string | undefined;
  readonly start: number;
  /** Infinity if no answer came. */
  readonly end: number;
}

/** The result of a call that surely never reached a server. It is not recorded. */
export const neverSent = Symbol('never sent');

/** Makes the call. Returns its record. */
export async function observe(
  client: string,
  license: string,
  call: Call,
  make: (call: Call) => Promise<string | undefined | typeof neverSent>,
): Promise<Operation | undefined> {
  const start = performance.now();
  const answer = await make(call);
  if (answer === neverSent) return undefined;
  return {
    client,
    license,
    call,
    answer,
    start,
    end: answer === undefined ? Number.POSITIVE_INFINITY : performance.now(),
  };
}

export function describeCall(call: Call): string {
  if (call.op === 'move') return `move ${call.domain} to ${call.to} (${call.overlap} h)`;
  return 'domain' in call ? `${call.op} ${call.domain}` : call.op;
}

export function describeOperation({ client, call, answer, start, end }: Operation): string {
  const until = Number.isFinite(end) ? end.toFixed(3) : '…';
  return `[${start.toFixed(3)} – ${until}] ${client}: ${describeCall(call)} -> ${answer ?? 'unknown'}`;
}
