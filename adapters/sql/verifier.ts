import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Standing, Validity, Verdict } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import { createBatcher, type ObserveBatch } from './batch.ts';

/** What is known of one request's license and domain. */
export interface Facts {
  readonly id: number | null;
  readonly standing: string | null;
  readonly expires_at: number | null;
  readonly is_activated: boolean | number;
}

/** Verifications to add to one domain of a license: how many, and when the last was. */
export interface Count {
  readonly id: number;
  readonly domain: string;
  readonly count: number;
  readonly at: number;
}

/** One transaction in which a batch is judged: what it reads stays so until it commits. */
export interface VerificationTransaction {
  /** In the order of the requests. */
  readFacts(requests: readonly { readonly key: string; readonly domain: string }[]): Promise<readonly Facts[]>;
  addCounts(counts: readonly Count[]): Promise<void>;
}

/** Group commit: all verifications that wait are read, decided, counted and made durable in one transaction. */
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

/** `transact` commits where the work resolves, and undoes it where it rejects. */
export function createVerifier(
  transact: (work: (transaction: VerificationTransaction) => Promise<Verdict[]>) => Promise<Verdict[]>,
  close: () => Promise<void>,
  observe?: ObserveBatch,
): Verifier {
  const batcher = createBatcher(
    (requests: readonly Request[]) =>
      transact(async ({ readFacts, addCounts }) => {
        const facts = await readFacts(requests);
        const verdicts = requests.map(({ decide }, index) => {
          const known = facts[index];
          return decide(known && toValidity(known), Boolean(known?.is_activated));
        });
        const counts = addUp(requests, facts, verdicts);
        if (counts.length > 0) await addCounts(counts);
        return verdicts;
      }),
    limits,
    observe,
  );
  return {
    verify: (key, domain, decide) => batcher.submit({ key, domain, decide }),
    waiting: batcher.waiting,
    async close() {
      await batcher.drain();
      await close();
    },
  };
}

function toValidity({ standing, expires_at }: Facts): Validity | undefined {
  return standing === null ? undefined : { standing: standing as Standing, expiresAt: expires_at };
}

/** One count for each domain that was verified. */
function addUp(requests: readonly Request[], facts: readonly Facts[], verdicts: readonly Verdict[]): Count[] {
  const sums = new Map<string, Count>();
  verdicts.forEach((verdict, index) => {
    const id = facts[index]?.id;
    const domain = requests[index]?.domain;
    if (verdict.kind !== 'valid' || id == null || domain === undefined) return;
    const sum = sums.get(`${id} ${domain}`);
    const at = Math.max(sum?.at ?? 0, verdict.at);
    sums.set(`${id} ${domain}`, { id, domain, count: (sum?.count ?? 0) + 1, at });
  });
  return [...sums.values()];
}
