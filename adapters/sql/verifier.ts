import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Activation } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Verdict, Verifiable } from '../../core/licensing/verdict.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { createBatcher, type ObserveBatch } from './batch.ts';
import { createHeldRows } from './held-rows.ts';
import { type RightsRow, toEntitlements } from './license-rights.ts';
import { createRememberedFacts } from './remembered-facts.ts';

/**
 * A license and one of its activations. `id` is null if the license does not exist, `ordinal` if the domain is not
 * activated.
 */
export interface Facts extends RightsRow {
  readonly id: number | null;
  /** The forced answer instead of `active`, if there is one. */
  readonly standing: string | null;
  readonly expires_at: number | null;
  readonly ordinal: number | null;
  readonly license_version: number | null;
  /** The time at which the activation ends, if it does. Cached facts never have one. */
  readonly ends_at?: number | null;
  /** The name under which the domain is activated, if it is its twin. Cached facts never have one. */
  readonly twin?: string | null;
}

/** The standing of the license `l`, as `forcedIn` of the core says. */
export const answeredStanding =
  "CASE WHEN l.standing = 'active' AND l.forced IS NOT NULL THEN l.forced ELSE l.standing END";

/**
 * Verifications to add to one domain. They are added only if the activation and the license are unchanged since the
 * read.
 */
export interface Count {
  readonly id: number;
  readonly domain: string;
  readonly ordinal: number;
  readonly version: number;
  readonly count: number;
  /** The time of the last verification. */
  readonly at: number;
}

/** A count that was not added, because its row has changed or another session has locked it (`isHeld`). */
export interface NotAdded extends Pick<Count, 'id' | 'domain'> {
  readonly isHeld?: boolean;
}

/** The two statements of a batch. Neither waits long for a lock. */
export interface VerificationTables {
  /**
   * Returns facts in the order of the requests, or `undefined` if another session has locked the tables. If a domain is
   * not activated, or ends, and the product has the option for it, the facts are those of its twin, if that lasts
   * longer.
   */
  read(requests: readonly Pick<Request, 'key' | 'domain'>[]): Promise<readonly Facts[] | undefined>;
  /** Adds the counts whose rows are unchanged and free, in one durable transaction. Returns the other counts. */
  add(counts: readonly Count[]): Promise<readonly NotAdded[]>;
  /** Throws if counting would fail now. Uses the same connection as counting. */
  check(): Promise<void>;
  /**
   * Milliseconds after which a caller without an answer gets `Unavailable`. By default, callers wait for their batch.
   */
  readonly patience?: number;
  /** The number of pairs of license and domain in the cache. Its memory is allocated with the first one. Default: 1,000,000. */
  readonly cacheSize?: number | undefined;
  close(): Promise<void>;
}

/** Group commit: decides, counts and commits all waiting verifications together. */
export interface Verifier {
  readonly verify: LicenseStore['verify'];
  /** The number of verifications that wait for the next batch. */
  waiting(): number;
  /** How long the current batch has been running, in milliseconds. 0 if no batch is running. */
  batchAge(): number;
  /** Throws if a verification could not be counted now. */
  check(): Promise<void>;
  /** Completes the waiting verifications, then closes. */
  close(): Promise<void>;
}

interface Request {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly decide: Parameters<LicenseStore['verify']>[2];
}

const limits = { waiting: 20_000, batch: 1_000 };

/** A batch counts as stuck after this fraction of `patience`. */
const stuckAfter = 2 / 3;

/** A request in a batch. `isGuess`: its facts come from the cache. `name`: that of its activation. */
interface Case {
  readonly request: Request;
  readonly name: string;
  readonly isGuess: boolean;
  readonly facts: Facts | undefined;
  /** `undefined` if the facts could not be read, because another session has locked the tables. */
  readonly verdict: Verdict | undefined;
}

/** Milliseconds between two retries for a row that another session has locked. */
const askAgainEvery = 25;

/**
 * The result of a request in a batch. `changed`: its facts were out of date. `held`: another session has locked its
 * row.
 */
type Answer = Verdict | { readonly kind: 'changed' } | { readonly kind: 'held' };

const changed: Answer = { kind: 'changed' };
const held: Answer = { kind: 'held' };

/**
 * Caches the facts of valid verifications. The counting statement checks cached facts: it adds a count only if they are
 * still true. So the write proves each valid answer, and a change of a license by any process takes effect at once.
 * Other answers are never based on the cache alone.
 */
export function createVerifier(tables: VerificationTables, observe?: ObserveBatch): Verifier {
  const { read, add, check, close, patience = Number.POSITIVE_INFINITY, cacheSize = 1_000_000 } = tables;
  const remembered = createRememberedFacts(cacheSize);

  async function decide(requests: readonly Request[]): Promise<Case[]> {
    const names = requests.map(nameOf);
    const guesses = requests.map(({ key, domain }) => remembered.get(key, domain));
    const unknown = requests.filter((_, index) => guesses[index] === undefined);
    const found = unknown.length > 0 ? await read(unknown) : [];
    let taken = 0;
    return requests.map((request, index) => {
      const guess = guesses[index];
      const facts = guess ?? found?.[taken++];
      const isKnown = guess !== undefined || found !== undefined;
      const verdict = isKnown ? request.decide(facts && toVerifiable(facts), activationOf(facts)) : undefined;
      const name = facts?.twin == null ? (names[index] ?? '') : `${request.key} ${facts.twin}`;
      return { request, name, isGuess: guess !== undefined, facts, verdict };
    });
  }

  /** Decides one batch of requests. After `changed` the caller must retry at once, and after `held` a little later. */
  async function judge(requests: readonly Request[]): Promise<Answer[]> {
    const cases = await decide(requests);
    const { counts, contradicted } = addUp(cases);
    const refused = counts.size > 0 ? await add([...counts.values()]) : [];
    const unproven = new Map(refused.map(({ id, domain, isHeld }) => [`${id} ${domain}`, isHeld ? held : changed]));
    return cases.map((one) => {
      const { request, facts, isGuess, verdict } = one;
      if (verdict === undefined) return held;
      const refusal = contradicted?.has(one)
        ? changed
        : unproven.size === 0
          ? undefined
          : unproven.get(`${facts?.id} ${facts?.twin ?? request.domain}`);
      if (verdict.kind === 'valid' && refusal === undefined) {
        if (!isGuess && facts && isMemorable(facts)) remembered.set(request.key, request.domain, facts);
        return verdict;
      }
      if (verdict.kind === 'valid' && refusal === held) return held;
      remembered.delete(request.key, request.domain);
      return verdict.kind === 'valid' || isGuess ? changed : verdict;
    });
  }

  const { submit, waiting, age, drain } = createBatcher(judge, { ...limits, patience }, observe);
  const heldRows = createHeldRows({ waiting: limits.waiting, every: askAgainEvery });

  async function ask(request: Request, until: number): Promise<Verdict> {
    const answer = await submit(request, until);
    if (answer.kind === 'held') return await askForHeld(request, until);
    return answer.kind === 'changed' ? ask(request, until) : answer;
  }

  /** Retries until the row is free. Meanwhile, other requests run in their batches. */
  async function askForHeld(request: Request, until: number): Promise<Verdict> {
    const name = nameOf(request);
    for (;;) {
      await heldRows.wait(name, until);
      let answer: Answer | undefined;
      try {
        answer = await submit(request, until);
      } finally {
        heldRows.report(name, answer === undefined ? 'failed' : answer.kind === 'held' ? 'held' : 'free');
      }
      if (answer.kind === 'changed') return await ask(request, until);
      if (answer.kind !== 'held') return answer;
    }
  }

  return {
    verify(key, domain, decide) {
      const request = { key, domain, decide };
      const until = performance.now() + patience;
      const isHeld = !heldRows.isEmpty && heldRows.isHeld(nameOf(request));
      return isHeld ? askForHeld(request, until) : ask(request, until);
    },
    waiting,
    batchAge: age,
    async check() {
      if (age() > patience * stuckAfter)
        throw new Unavailable('The database did not answer a batch of verifications in time.');
      await check();
    },
    async close() {
      do {
        await drain();
        await heldRows.drain();
      } while (waiting() > 0 || !heldRows.isEmpty);
      await close();
    },
  };
}

function nameOf({ key, domain }: Request): string {
  return `${key} ${domain}`;
}

function toVerifiable(facts: Facts): Verifiable | undefined {
  const { standing, expires_at: expiresAt, updates_until: updatesUntil, entitlements } = facts;
  return standing === null
    ? undefined
    : {
        standing: standing as Verifiable['standing'],
        expiresAt,
        updatesUntil,
        entitlements: toEntitlements(entitlements),
      };
}

/** Most activations have no end. They share this object, which saves memory. */
const lasting: Pick<Activation, 'endsAt'> = { endsAt: null };

function activationOf(facts: Facts | undefined): Pick<Activation, 'endsAt'> | undefined {
  if (facts?.ordinal == null) return undefined;
  return facts.ends_at == null ? lasting : { endsAt: facts.ends_at };
}

/**
 * Whether the counting statement would detect that the facts are out of date. It does not look at the time, and not at
 * the option by which a twin counts.
 */
function isMemorable({ ends_at: endsAt, twin }: Facts): boolean {
  return endsAt == null && twin == null;
}

interface Counted {
  /** One count for each verified activation, by its name. */
  readonly counts: Map<string, Count>;
  /** Cases with other facts about the same activation than the case before them, which can only happen with twins. */
  readonly contradicted: Set<Case> | undefined;
}

function addUp(cases: readonly Case[]): Counted {
  const counts = new Map<string, Count>();
  let contradicted: Set<Case> | undefined;
  for (const one of cases) {
    const { request, name, facts, verdict } = one;
    const { id = null, ordinal = null, license_version: version = null } = facts ?? {};
    if (verdict?.kind !== 'valid' || id === null || ordinal === null || version === null) continue;
    const before = counts.get(name);
    if (before !== undefined && (before.version !== version || before.ordinal !== ordinal)) {
      contradicted = (contradicted ?? new Set()).add(one);
      continue;
    }
    const count = (before?.count ?? 0) + 1;
    const domain = facts?.twin ?? request.domain;
    counts.set(name, { id, domain, ordinal, version, count, at: Math.max(before?.at ?? 0, verdict.at) });
  }
  return { counts, contradicted };
}
