/** What a client asked for; `renew` asks for no end, which a perpetual license has already. */
export type Call =
  | { readonly op: 'activate' | 'deactivate' | 'verify'; readonly domain: string }
  | { readonly op: 'status' | 'suspend' | 'reinstate' | 'revoke' | 'renew' };

export type Op = Call['op'];

/** One call of a history. Its times are those of the one process that recorded it, in milliseconds. */
export interface Operation {
  readonly client: string;
  readonly license: string;
  readonly call: Call;
  /** In the model's words; `undefined` where none came, so that the call may have done its work, or may yet, or never will. */
  readonly answer: string | undefined;
  readonly start: number;
  /** Without an answer a call never ends. */
  readonly end: number;
}

/** What recording keeps of a call that surely never reached a server: nothing. */
export const neverSent = Symbol('never sent');

/** Makes the call and answers what is to be recorded of it. */
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
  return 'domain' in call ? `${call.op} ${call.domain}` : call.op;
}

export function describeOperation({ client, call, answer, start, end }: Operation): string {
  const until = Number.isFinite(end) ? end.toFixed(3) : '…';
  return `[${start.toFixed(3)} – ${until}] ${client}: ${describeCall(call)} -> ${answer ?? 'unknown'}`;
}
