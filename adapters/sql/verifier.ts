import { LRUCache } from 'lru-cache';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Standing, Validity, Verdict } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import { createBatcher, type ObserveBatch } from './batch.ts';

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

/** The two statements of a batch. */
export interface VerificationTables {
  /** In the order of the requests. */
  read(requests: readonly { readonly key: string; readonly domain: string }[]): Promise<readonly Facts[]>;
  /** One transaction: adds what may be added, durably, and answers where nothing was: usually nowhere. */
  add(counts: readonly Count[]): Promise<readonly Pick<Count, 'id' | 'domain'>[]>;
  close(): Promise<void>;
}

/** Group commit: all verifications that wait are decided, counted and made durable together. */
export interface Verifier {
  readonly verify: LicenseStore['verify'];
  /** Verifications that wait for the next batch. */
  waiting(): number;
  /** Answers what waits, then closes. */
  close(): Promise<void>;
}

interface Request {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly decide: (license: Validity | undefined, isActivated: boolean) => Verdict;
}

const limits = { waiting: 20_000, batch: 1_000 };

/** Licenses with a domain whose facts are remembered. */
const remembrance = 100_000;

/** A request on its way through a batch. */
interface Case {
  readonly request: Request;
  readonly name: string;
  readonly isGuess: boolean;
  readonly facts: Facts | undefined;
  readonly verdict: Verdict;
}

/**
 * Facts that made a verification valid are remembered, as a guess: the statement that counts adds only where they still hold,
 * so that a valid answer is proven by what it wrote, and whoever changes a license anywhere is heard at once. Any other answer
 * is given of what was read for it.
 */
export function createVerifier({ read, add, close }: VerificationTables, observe?: ObserveBatch): Verifier {
  const remembered = new LRUCache<string, Facts>({ max: remembrance });

  async function decide(requests: readonly Request[]): Promise<Case[]> {
    const names = requests.map(({ key, domain }) => `${key} ${domain}`);
    const guesses = names.map((name) => remembered.get(name));
    const unknown = requests.filter((_, index) => guesses[index] === undefined);
    const found = unknown.length > 0 ? await read(unknown) : [];
    let taken = 0;
    return requests.map((request, index) => {
      const guess = guesses[index];
      const facts = guess ?? found[taken++];
      const verdict = request.decide(facts && toValidity(facts), facts?.ordinal != null);
      return { request, name: names[index] ?? '', isGuess: guess !== undefined, facts, verdict };
    });
  }

  /** `undefined` where the facts were no longer so: that request is to be asked again. */
  async function judge(requests: readonly Request[]): Promise<(Verdict | undefined)[]> {
    const cases = await decide(requests);
    const counts = addUp(cases);
    const refused = counts.size > 0 ? await add([...counts.values()]) : [];
    const unproven = new Set(refused.map(({ id, domain }) => `${id} ${domain}`));
    return cases.map(({ request, name, facts, isGuess, verdict }) => {
      if (verdict.kind === 'valid' && (unproven.size === 0 || !unproven.has(`${facts?.id} ${request.domain}`))) {
        if (!isGuess && facts) remembered.set(name, facts);
        return verdict;
      }
      remembered.delete(name);
      return verdict.kind === 'valid' || isGuess ? undefined : verdict;
    });
  }

  const { submit, waiting, drain } = createBatcher(judge, limits, observe);
  const ask = async (request: Request): Promise<Verdict> => (await submit(request)) ?? ask(request);
  return {
    verify: (key, domain, decide) => ask({ key, domain, decide }),
    waiting,
    async close() {
      await drain();
      await close();
    },
  };
}

function toValidity({ standing, expires_at }: Facts): Validity | undefined {
  return standing === null ? undefined : { standing: standing as Standing, expiresAt: expires_at };
}

/** One count for each domain that was verified, by the name of its requests. */
function addUp(cases: readonly Case[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { request, name, facts, verdict } of cases) {
    const { id = null, ordinal = null, license_version: version = null } = facts ?? {};
    if (verdict.kind !== 'valid' || id === null || ordinal === null || version === null) continue;
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
