import { normalizeDomain } from '../../../core/licensing/domain-name.ts';
import type { GuardStorage, HttpRequest, Platform } from '../platform.ts';
import { type Answer, doubtOf, fieldOf, type Reply, readJson, readVerify, type Unknown } from './answer.ts';
import { call, callTwice } from './call.ts';
import { after, isFresh, isGood, type Kept } from './kept.ts';
import { createMemo } from './memo.ts';
import { memory } from './memory.ts';
import { within } from './within.ts';

export interface GuardOptions {
  /** The address of the license server, such as `https://licenses.example.com`. */
  readonly url: string;
  readonly licenseKey: string;
  /** The domain to check, in any spelling. Default: the host of the page. Needed outside of pages. */
  readonly domain?: string | undefined;
  /** Days for which a valid license stays valid while the server gives no answer. Default: 7. */
  readonly graceDays?: number | undefined;
  /** Milliseconds for one call. Default: 3000. */
  readonly timeout?: number | undefined;
  /** Where answers are kept. Default: `localStorage` in pages, otherwise the memory of the process. */
  readonly storage?: GuardStorage | undefined;
}

/** The known state of the license. */
export interface Verdict {
  /**
   * `valid` and `invalid` are answers of the server. `unknown` means that there is no answer, and no earlier one that
   * still counts.
   */
  readonly state: 'valid' | 'invalid' | 'unknown';
  /**
   * If invalid: the server's `error`, such as `expired`. If unknown: why there is no answer. If valid: set only if the
   * last call brought no answer, and the earlier answer still counts.
   */
  readonly reason?: string;
  /** Only if valid. `null` for a perpetual license. */
  readonly expiresAt?: Date | null;
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
  const { licenseKey, graceDays = 7, timeout = 3000 } = options;
  const base = String(options.url).replace(/\/+$/, '');
  const domain = normalizeDomain(String(options.domain ?? platform.host ?? ''));
  const wrong = !/^https?:\/\/./i.test(base)
    ? 'url'
    : !licenseKey || typeof licenseKey !== 'string'
      ? 'licenseKey'
      : !domain && (options.domain !== undefined || platform.host === undefined)
        ? 'domain'
        : undefined;
  if (wrong) throw new TypeError(`${wrong} is missing or wrong.`);

  const id = `latchkey ${base} ${licenseKey} ${domain}`;
  const memo = createMemo(id, options.storage ?? platform.shared ?? memory, platform);
  const listeners = new Set<(verdict: Verdict) => void>();
  let told = '';
  let unwatch = () => {};

  function tell(kept: Kept, fromCache: boolean): Verdict {
    const { reason, doubt, expiresAt, checkedAt } = kept;
    const good = isGood(kept, graceDays * day);
    const state = good ? 'valid' : kept.state === 'invalid' ? 'invalid' : 'unknown';
    const why = state === 'invalid' ? reason : doubt;
    const verdict: Verdict = {
      state,
      ...(why && { reason: why }),
      ...(good && { expiresAt: expiresAt == null ? null : new Date(expiresAt) }),
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

  /** Returns the earlier answer if it need not be asked for again. */
  async function cached(isForced: boolean): Promise<Verdict | undefined> {
    const kept = await memo.look();
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
      asking.get(id) ??
      send(`verify?${query}`, {}, true)
        .then((reply) => ('status' in reply ? readVerify(reply, platform.now()) : reply))
        .finally(() => asking.delete(id));
    asking.set(id, call);
    return call;
  }

  async function send(path: string, request: HttpRequest, mayRepeat: boolean): Promise<Reply | Unknown> {
    if (!domain) return { state: 'unknown', reason: 'bad_domain' };
    return (mayRepeat ? callTwice : call)(platform, `${base}/${path}`, request, timeout);
  }

  async function note(answer: Answer): Promise<Verdict> {
    const kept = after(answer, await memo.look(), platform.now(), platform.random());
    await memo.keep(kept);
    return tell(kept, answer.state === 'unknown');
  }

  async function change(operation: 'activate' | 'deactivate'): Promise<Change> {
    await asking.get(id);
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
