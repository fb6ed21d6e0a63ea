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
  /** Batches that it takes at a time. */
  readonly connections: number;
  /** In the order of the requests. */
  read(requests: readonly { readonly key: string; readonly domain: string }[]): Promise<readonly Facts[]>;
  /** One transaction: adds what may be added, durably, and answers to which domains it was. */
  add(counts: readonly Count[]): Promise<readonly { readonly license_id: number; readonly domain: string }[]>;
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

/**
 * Facts that made a verification valid are remembered, as a guess: the statement that counts adds only where they still hold,
 * so that a valid answer is proven by what it wrote, and whoever changes a license anywhere is heard at once. Any other answer
 * is given of what was read for it.
 */
export function createVerifier(
  { connections, read, add, close }: VerificationTables,
  observe?: ObserveBatch,
): Verifier {
  const remembered = new LRUCache<string, Facts>({ max: remembrance });

  /** `undefined` where the facts were no longer so: that request is to be asked again. */
  async function judge(requests: readonly Request[]): Promise<(Verdict | undefined)[]> {
    const names = requests.map(({ key, domain }) => `${key} ${domain}`);
    const guesses = names.map((name) => remembered.get(name));
    const unknown = requests.filter((_, index) => guesses[index] === undefined);
    const found = unknown.length > 0 ? await read(unknown) : [];
    let taken = 0;
    const facts = guesses.map((guess) => guess ?? found[taken++]);

    const verdicts = requests.map(({ decide }, index) => {
      const known = facts[index];
      return decide(known && toValidity(known), known?.ordinal != null);
    });
    const counts = addUp(requests, facts, verdicts);
    const proven = counts.size > 0 ? await add([...counts.values()]) : [];
    const isProven = isIn(proven, counts.size);

    return verdicts.map((verdict, index) => {
      const name = names[index] ?? '';
      const known = facts[index];
      if (verdict.kind === 'valid' && isProven(known?.id, requests[index]?.domain)) {
        if (known && guesses[index] === undefined) remembered.set(name, known);
        return verdict;
      }
      remembered.delete(name);
      return verdict.kind === 'valid' || guesses[index] !== undefined ? undefined : verdict;
    });
  }

  const { submit, waiting, drain } = createBatcher(judge, { ...limits, running: connections }, observe);
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

/** One count for each domain that was verified. */
function addUp(
  requests: readonly Request[],
  facts: readonly (Facts | undefined)[],
  verdicts: readonly Verdict[],
): Map<string, Count> {
  const counts = new Map<string, Count>();
  verdicts.forEach((verdict, index) => {
    const { id = null, ordinal = null, license_version: version = null } = facts[index] ?? {};
    const domain = requests[index]?.domain;
    if (verdict.kind !== 'valid' || id === null || ordinal === null || version === null || domain === undefined) return;
    const name = nameOf(id, domain);
    const before = counts.get(name);
    const at = Math.max(before?.at ?? 0, verdict.at);
    counts.set(name, { id, domain, ordinal, version, count: (before?.count ?? 0) + 1, at });
  });
  return counts;
}

/** Tells what was added to. Usually that is all, and nothing need be compared. */
function isIn(proven: Awaited<ReturnType<VerificationTables['add']>>, asked: number) {
  if (proven.length === asked) return () => true;
  const names = new Set(proven.map(({ license_id, domain }) => nameOf(license_id, domain)));
  return (id: number | null | undefined, domain: string | undefined) => names.has(nameOf(id, domain));
}

function nameOf(id: number | null | undefined, domain: string | undefined): string {
  return `${id} ${domain}`;
}
