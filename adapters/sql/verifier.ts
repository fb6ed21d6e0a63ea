import { LRUCache } from 'lru-cache';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Standing, Validity, Verdict } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { createBatcher, type ObserveBatch } from './batch.ts';
import { createHeldRows } from './held-rows.ts';

/** What was read of a license and one domain. Without an id there is no such license, without an ordinal no such domain. */
export interface Facts {
  readonly id: number | null;
  readonly standing: string | null;
  readonly expires_at: number | null;
  readonly ordinal: number | null;
  readonly license_version: number | null;
}

/** Verifications to add to one domain, if it is still the activation that was read, of a license as it was read. */
export interface Count {
  readonly id: number;
  readonly domain: string;
  readonly ordinal: number;
  readonly version: number;
  readonly count: number;
  /** The last of them. */
  readonly at: number;
}

/** A count that was not added: its row has changed, or somebody else holds it. */
export interface NotAdded extends Pick<Count, 'id' | 'domain'> {
  readonly isHeld?: boolean;
}

/** The two statements of a batch. Neither waits for long for what somebody else holds. */
export interface VerificationTables {
  /** In the order of the requests; `undefined` if somebody else holds the tables. */
  read(requests: readonly { readonly key: string; readonly domain: string }[]): Promise<readonly Facts[] | undefined>;
  /** Adds what may be added, in one durable transaction. Returns the counts that were not added. */
  add(counts: readonly Count[]): Promise<readonly NotAdded[]>;
  /** Throws if nothing could be counted at the moment, asking on the connection that counts. */
  check(): Promise<void>;
  /** Milliseconds after which a caller without an answer gets `Unavailable`; without it, callers wait for their batch. */
  readonly patience?: number;
  /** Licenses with a domain whose facts are remembered; the room for them is taken at the start. */
  readonly remembrance?: number;
  close(): Promise<void>;
}

/** Group commit: all verifications that wait are decided, counted and made durable together. */
export interface Verifier {
  readonly verify: LicenseStore['verify'];
  /** Verifications that wait for the next batch. */
  waiting(): number;
  /** Milliseconds for which the present batch has been running, 0 if none is. */
  batchAge(): number;
  /** Throws if no verification could be counted at the moment. */
  check(): Promise<void>;
  /** Answers what waits, then closes. */
  close(): Promise<void>;
}

interface Request {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly decide: (license: Validity | undefined, isActivated: boolean) => Verdict;
}

const limits = { waiting: 20_000, batch: 1_000 };

/** The part of its callers' patience after which a batch counts as stuck. */
const stuckAfter = 2 / 3;

/** A request on its way through a batch. */
interface Case {
  readonly request: Request;
  readonly name: string;
  readonly isGuess: boolean;
  readonly facts: Facts | undefined;
  /** Without it, the facts could not be read, as somebody else holds the tables. */
  readonly verdict: Verdict | undefined;
}

/** Milliseconds between two askings for a row that somebody else holds. */
const askAgainEvery = 25;

/** The result of a request in a batch. `changed`: its facts were out of date. `held`: somebody else holds its row. */
type Answer = Verdict | { readonly kind: 'changed' } | { readonly kind: 'held' };

const changed: Answer = { kind: 'changed' };
const held: Answer = { kind: 'held' };

/**
 * Facts that made a verification valid are remembered, as a guess: the statement that counts adds only where they still hold,
 * so that a valid answer is proven by what it wrote, and whoever changes a license anywhere is heard at once. Any other answer
 * is given of what was read for it.
 */
export function createVerifier(tables: VerificationTables, observe?: ObserveBatch): Verifier {
  const { read, add, check, close, patience = Number.POSITIVE_INFINITY, remembrance = 100_000 } = tables;
  const remembered = new LRUCache<string, Facts>({ max: remembrance });

  async function decide(requests: readonly Request[]): Promise<Case[]> {
    const names = requests.map(nameOf);
    const guesses = names.map((name) => remembered.get(name));
    const unknown = requests.filter((_, index) => guesses[index] === undefined);
    const found = unknown.length > 0 ? await read(unknown) : [];
    let taken = 0;
    return requests.map((request, index) => {
      const guess = guesses[index];
      const facts = guess ?? found?.[taken++];
      const isKnown = guess !== undefined || found !== undefined;
      const verdict = isKnown ? request.decide(facts && toValidity(facts), facts?.ordinal != null) : undefined;
      return { request, name: names[index] ?? '', isGuess: guess !== undefined, facts, verdict };
    });
  }

  /** Ask again at once after `changed`, and after a while after `held`. */
  async function judge(requests: readonly Request[]): Promise<Answer[]> {
    const cases = await decide(requests);
    const counts = addUp(cases);
    const refused = counts.size > 0 ? await add([...counts.values()]) : [];
    const unproven = new Map(refused.map(({ id, domain, isHeld }) => [`${id} ${domain}`, isHeld ? held : changed]));
    return cases.map(({ request, name, facts, isGuess, verdict }) => {
      if (verdict === undefined) return held;
      const refusal = unproven.size === 0 ? undefined : unproven.get(`${facts?.id} ${request.domain}`);
      if (verdict.kind === 'valid' && refusal === undefined) {
        if (!isGuess && facts) remembered.set(name, facts);
        return verdict;
      }
      if (verdict.kind === 'valid' && refusal === held) return held;
      remembered.delete(name);
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

  /** Beside the batches, which go on meanwhile. */
  async function askForHeld(request: Request, until: number): Promise<Verdict> {
    const name = nameOf(request);
    for (;;) {
      await heldRows.wait(name, until);
      let answer: Answer | undefined;
      try {
        answer = await submit(request, until);
      } finally {
        heldRows.tell(name, answer === undefined ? 'failed' : answer.kind === 'held' ? 'held' : 'free');
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
      if (age() > patience * stuckAfter) throw new Unavailable('A batch of verifications has had no answer for long.');
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

function toValidity({ standing, expires_at }: Facts): Validity | undefined {
  return standing === null ? undefined : { standing: standing as Standing, expiresAt: expires_at };
}

/** One count for each domain that was verified, by the name of its requests. */
function addUp(cases: readonly Case[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { request, name, facts, verdict } of cases) {
    const { id = null, ordinal = null, license_version: version = null } = facts ?? {};
    if (verdict?.kind !== 'valid' || id === null || ordinal === null || version === null) continue;
    const before = counts.get(name);
    const count = (before?.count ?? 0) + 1;
    counts.set(name, {
      id,
      domain: request.domain,
      ordinal,
      version,
      count,
      at: Math.max(before?.at ?? 0, verdict.at),
    });
  }
  return counts;
}
