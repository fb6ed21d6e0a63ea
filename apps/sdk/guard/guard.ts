import type { HttpRequest, Platform } from '../platform.ts';
import { type Answer, doubtOf, fieldOf, type Reply, readJson, readVerify, type Unknown } from './answer.ts';
import { call, callTwice } from './call.ts';
import { after, isFresh, isGood, type Kept } from './kept.ts';
import { createLeases } from './leases.ts';
import { createMemo } from './memo.ts';
import { memory } from './memory.ts';
import { type GuardOptions, readOptions } from './options.ts';
import { within } from './within.ts';

/** The known state of the license. */
export interface Verdict {
  /**
   * `valid` and `invalid` are answers of the server. `unknown` means that there is no answer, and no earlier one that
   * still counts.
   */
  readonly state: 'valid' | 'invalid' | 'unknown';
  /**
   * If invalid: the server's `error`, such as `expired`. If unknown: why there is no answer, or why the lease does not
   * count. If valid: set only if the last call brought no answer, and the earlier answer still counts.
   */
  readonly reason?: string;
  /** Only if valid. `null` for a perpetual license. */
  readonly expiresAt?: Date | null;
  /** Only if valid by a lease: its end. Until then the license stays valid without an answer of the server. */
  readonly leaseUntil?: Date;
  /** The time of the server's answer. If it never gave one: of the first call. */
  readonly checkedAt: Date;
  /** Whether the state comes from an earlier answer. */
  readonly fromCache: boolean;
}

/** The result of `activate` and `deactivate`. */
export type Change =
  | { readonly ok: true; readonly domain: string }
  | {
      readonly ok: false;
      /** The server's `error`, such as `domain_limit_reached`, or why there is no answer. */
      readonly reason: string;
      readonly message?: string;
    };

export interface LicenseGuard {
  /** Returns the known state. Asks the server if the last answer is too old, or with `fresh`. Never throws. */
  check(options?: { readonly fresh?: boolean }): Promise<Verdict>;
  /** Activates the license on the domain. Never throws. */
  activate(): Promise<Change>;
  /** Removes the domain from the license. Never throws. */
  deactivate(): Promise<Change>;
  /** Calls `listen` when state or reason change, also by another tab. Returns a function that ends this. */
  onChange(listen: (verdict: Verdict) => void): () => void;
}

const day = 86_400_000;

/** Calls that are under way, by key and domain. All guards of a process share them. */
const asking = new Map<string, Promise<Answer>>();
const changing = new Map<string, Promise<unknown>>();

/** Throws a `TypeError` if an option is wrong. */
export function createGuard(options: GuardOptions, platform: Platform): LicenseGuard {
  const { licenseKey, graceDays = 7, timeout = 3000, offline } = options;
  const { base, domain, expected } = readOptions(options, platform.host);
  const leases = expected && createLeases(expected, options.lease?.trim(), platform);
  const read = leases?.read ?? ((reply: Reply) => readVerify(reply, platform.now()));

  // A guard with leases does not count what one without them has kept.
  const id = `latchkey ${leases ? 'lease ' : ''}${base} ${licenseKey} ${domain}`;
  const asked = JSON.stringify([id, options.publicKeys, options.issuer]);
  const storage = options.storage ?? platform.shared ?? memory;
  const memo = createMemo(id, storage, platform, leases?.admit ?? ((kept) => kept));
  const listeners = new Set<(verdict: Verdict) => void>();
  let told = '';
  let unwatch = () => {};

  function tell(kept: Kept, fromCache: boolean): Verdict {
    const { reason, expiresAt, checkedAt, lease } = kept;
    const good = isGood(kept, graceDays * day);
    const state = good ? 'valid' : kept.state === 'invalid' ? 'invalid' : 'unknown';
    const fault = lease && kept.state === 'valid' ? 'expired_lease' : (kept.fault ?? (leases && 'no_lease'));
    const doubt = offline ? undefined : kept.doubt;
    const why = state === 'invalid' ? reason : (doubt ?? (good ? undefined : fault));
    const verdict: Verdict = {
      state,
      ...(why && { reason: why }),
      ...(good && { expiresAt: expiresAt == null ? null : new Date(expiresAt) }),
      ...(good && lease && { leaseUntil: new Date(lease.until) }),
      checkedAt: new Date(checkedAt),
      fromCache: fromCache && state !== 'unknown',
    };
    const news = `${state} ${why}`;
    if (news === told) return verdict;
    told = news;
    for (const listen of listeners) {
      try {
        listen(verdict);
      } catch (fault) {
        platform.complain(fault);
      }
    }
    return verdict;
  }

  /** Makes only one tab call at a time. A tab that the browser has frozen may keep the lock, so the wait has an end. */
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (platform.locks === undefined || options.storage !== undefined) return work();
    let begun: Promise<Result> | undefined;
    const begin = () => {
      begun ??= work();
      return begun;
    };
    return within(platform, 3 * timeout, platform.locks.request(id, begin).catch(begin), begin);
  }

  /** What is kept, or the lease of the options. */
  async function look(): Promise<Kept | undefined> {
    const kept = await memo.look();
    const given = await leases?.adopt(kept);
    if (given) await memo.keep(given);
    return given ?? kept;
  }

  /** Returns the earlier answer if it need not be asked for again. */
  async function cached(isForced: boolean): Promise<Verdict | undefined> {
    const kept = await look();
    if (offline) return tell(kept ?? { state: 'unknown', checkedAt: platform.now(), age: 0, askAt: 0 }, true);
    return kept && isFresh(kept) && (!isForced || kept.isHeld) ? tell(kept, true) : undefined;
  }

  async function check(isForced: boolean): Promise<Verdict> {
    let verdict = await cached(isForced);
    while (!verdict) {
      await changing.get(id);
      verdict = await alone(
        async () =>
          // Meanwhile another tab may have asked. And an answer from before a change must not be kept.
          (await cached(isForced)) ?? (changing.has(id) ? undefined : note(await verified())),
      );
    }
    return verdict;
  }

  function verified(): Promise<Answer> {
    const query = `license_key=${encodeURIComponent(licenseKey)}&domain=${domain}`;
    const call =
      asking.get(asked) ??
      send(`${leases ? 'lease' : 'verify'}?${query}`, {}, true)
        .then((reply) => ('status' in reply ? read(reply) : reply))
        .finally(() => asking.delete(asked));
    asking.set(asked, call);
    return call;
  }

  async function send(path: string, request: HttpRequest, mayRepeat: boolean): Promise<Reply | Unknown> {
    if (offline) return { state: 'unknown', reason: 'offline' };
    if (!domain) return { state: 'unknown', reason: 'bad_domain' };
    return (mayRepeat ? callTwice : call)(platform, `${base}/${path}`, request, timeout);
  }

  async function note(answer: Answer): Promise<Verdict> {
    const kept = after(answer, await look(), platform.now(), platform.random());
    await memo.keep(kept);
    return tell(kept, answer.state === 'unknown');
  }

  async function change(operation: 'activate' | 'deactivate'): Promise<Change> {
    await asking.get(asked);
    const isActivation = operation === 'activate';
    const request = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key: licenseKey, domain }),
    };
    // A repeated deactivation would be refused, because the domain is gone.
    const done = readChange(await send(operation, request, isActivation), platform.now());
    if (done.ok) {
      const answer: Answer = isActivation
        ? { state: 'unknown', reason: 'network', retryAfter: 0 }
        : { state: 'invalid', reason: 'invalid_domain' };
      await memo.keep(after(answer, undefined, platform.now(), 0));
    }
    return done;
  }

  async function changed(operation: 'activate' | 'deactivate'): Promise<Change> {
    while (changing.has(id)) await changing.get(id);
    const work = alone(() => change(operation)).finally(() => changing.delete(id));
    changing.set(id, work);
    const done = await work;
    if (done.ok) await check(false);
    return done;
  }

  return {
    check: (asked) => check(asked?.fresh === true),
    activate: () => changed('activate'),
    deactivate: () => changed('deactivate'),
    onChange(listen) {
      if (listeners.size === 0) {
        // If nothing is cached, the other tab is about to ask.
        unwatch = platform.watch(id, () => cached(false));
      }
      listeners.add(listen);
      return () => {
        if (listeners.delete(listen) && listeners.size === 0) unwatch();
      };
    },
  };
}

function readChange(reply: Reply | Unknown, now: number): Change {
  if (!('status' in reply)) return { ok: false, reason: reply.reason };
  const body = readJson(reply.text);
  const domain = fieldOf(body, 'domain');
  const error = fieldOf(body, 'error');
  const message = fieldOf(body, 'message');
  if (reply.status === 200 && fieldOf(body, 'success') === true && typeof domain === 'string') {
    return { ok: true, domain };
  }
  const reason = typeof error === 'string' ? error : doubtOf(reply, now).reason;
  return { ok: false, reason, ...(typeof message === 'string' && { message }) };
}
