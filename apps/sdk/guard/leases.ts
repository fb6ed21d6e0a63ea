import type { Platform } from '../platform.ts';
import { type Answer, fieldOf, type Reply, readJson, readVerify } from './answer.ts';
import type { Kept } from './kept.ts';
import { type Expected, type Lease, type LeaseFault, openLease, skew, timeFaultOf } from './lease.ts';

/** The leases of one license and one domain. */
export interface Leases {
  /** Reads the answer of `lease`. It is valid only with a lease that counts. */
  read(reply: Reply): Promise<Answer>;
  /** Decides again what counts of a text of the storage, which others can write. Nothing but a lease makes it valid. */
  admit(kept: Kept): Promise<Kept>;
  /** Returns what is to be kept instead of `kept` because of the lease of the options. */
  adopt(kept: Kept | undefined): Promise<Kept | undefined>;
}

/** `given` is the lease of the options. */
export function createLeases(expected: Expected, given: string | undefined, platform: Platform): Leases {
  let last: { readonly text: string; readonly opened: Promise<Lease | LeaseFault> } | undefined;
  let isUsed = given === undefined;

  /** Remembers one, so that a signature is not checked at each look. */
  function open(text: string): Promise<Lease | LeaseFault> {
    if (last?.text !== text) last = { text, opened: openLease(text, expected, platform.subtle) };
    return last.opened;
  }

  async function admit(kept: Kept): Promise<Kept> {
    if (kept.state === 'invalid') return kept;
    const refused: Kept = { ...kept, state: 'unknown', askAt: kept.doubt === undefined ? 0 : kept.askAt };
    const text = fieldOf(kept.lease, 'text');
    const lease = typeof text === 'string' ? await open(text) : undefined;
    if (typeof lease !== 'object') return { ...refused, lease: undefined, fault: lease ?? kept.fault };
    const now = platform.now();
    const mark = Math.max(now, kept.mark ?? now);
    const fault: Kept['fault'] = now + skew < mark ? 'clock_set_back' : timeFaultOf(lease, mark);
    const counted = { lease, mark, fault, expiresAt: lease.expiresAt };
    return fault ? { ...refused, ...counted } : { ...kept, ...counted, state: 'valid' };
  }

  return {
    admit,

    async read(reply) {
      const now = platform.now();
      const body = readJson(reply.text);
      const text = fieldOf(body, 'lease');
      if (reply.status === 200 && fieldOf(body, 'valid') === true && typeof text === 'string') {
        const lease = await open(text);
        const fault = typeof lease === 'string' ? lease : timeFaultOf(lease, now);
        if (typeof lease === 'object' && !fault) return { state: 'valid', expiresAt: lease.expiresAt, lease };
        return { state: 'unknown', reason: fault ?? 'bad_answer' };
      }
      const answer = readVerify(reply, now);
      return answer.state === 'valid' ? { state: 'unknown', reason: 'bad_answer' } : answer;
    },

    async adopt(kept) {
      if (given === undefined || isUsed) return undefined;
      isUsed = true;
      const now = platform.now();
      const lease = await open(given);
      const start: Kept = { state: 'unknown', checkedAt: now, age: 0, askAt: 0 };
      if (typeof lease === 'string') return kept ? undefined : { ...start, fault: lease };
      const { issuedAt } = lease;
      // What the server said later counts more.
      const isNewer = issuedAt > (kept?.issued ?? 0) && (kept?.state !== 'invalid' || issuedAt > kept.checkedAt + skew);
      if (!isNewer) return undefined;
      const mark = Math.max(now, kept?.mark ?? now);
      return admit({ ...start, checkedAt: issuedAt, lease, issued: issuedAt, mark });
    },
  };
}
