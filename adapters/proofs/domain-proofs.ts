import type { ConnectionOptions } from 'node:tls';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import { proofPath, recordOf } from '../../core/licensing/domain-proof.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { DomainProofs } from '../../core/ports/domain-proofs.ts';
import { refuse } from '../../core/refusal.ts';
import type { Signer } from '../contracts/signer.ts';
import { createConnect } from '../guarded-connect.ts';
import { createLookUp } from '../look-up.ts';
import { createIsAllowed, type IsAllowed } from '../public-addresses.ts';
import { createAtOnce } from './at-once.ts';
import { readFile } from './read-file.ts';
import { readRecords } from './read-records.ts';

interface ProofOptions {
  readonly signer: Pick<Signer, 'sign'>;
  /** Those with former secrets: what they have signed still proves a domain. */
  readonly former?: readonly Pick<Signer, 'sign'>[];
  /** For tests: name servers, addresses besides the public ones, the port of sites, certificates of authorities, and milliseconds. */
  readonly servers?: readonly string[];
  readonly isAllowed?: IsAllowed;
  readonly port?: number;
  readonly tls?: Pick<ConnectionOptions, 'ca'>;
  readonly patience?: number;
}

/** A lookup holds a socket or two for seconds at most. `ofOne`: for one network. */
const most = { all: 32, ofOne: 4 };

/** Milliseconds for everything together. */
const standardPatience = 5_000;

/**
 * Anybody who has read a license key can make this server look up a domain, and can keep a lookup open with a name server that does not answer. So
 * lookups are limited for each network. The server connects to public addresses only, even if webhooks may be sent to others. Callers learn only
 * whether the text is there.
 */
export function createDomainProofs({
  signer,
  former = [],
  servers,
  isAllowed = createIsAllowed([]),
  port = 443,
  tls = {},
  patience = standardPatience,
}: ProofOptions): DomainProofs {
  const connect = createConnect(isAllowed, createLookUp(servers), tls);
  const atOnce = createAtOnce(most);
  const running = new Map<string, Promise<boolean | undefined>>();
  const textBy = (by: Pick<Signer, 'sign'>, key: LicenseKey, domain: DomainName) =>
    `lk=${by.sign(`domain proof\n${key}\n${domain}`)}`;

  async function isPublished(domain: DomainName, texts: ReadonlySet<string>): Promise<boolean> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new Error('The time of a proof is over.')), patience);
    const { signal } = ending;
    try {
      // The first that has the text is enough, and a failure of one says nothing about the other.
      return await firstTrue([
        readRecords(recordOf(domain), servers, signal).then((records) => records.some((one) => texts.has(one))),
        readFile(new URL(`https://${domain}:${port}${proofPath}`), connect, signal).then((lines) =>
          lines.some((one) => texts.has(one)),
        ),
      ]);
    } finally {
      clearTimeout(timer);
      ending.abort(new Error('The proof is decided.'));
    }
  }

  return {
    textFor: (key, domain) => textBy(signer, key, domain),
    async find(key, domain, from) {
      const pair = `${key} ${domain}`;
      const texts = new Set([signer, ...former].map((by) => textBy(by, key, domain)));
      const lookup =
        running.get(pair) ?? atOnce(from, () => isPublished(domain, texts)).finally(() => running.delete(pair));
      running.set(pair, lookup);
      const found = await lookup;
      return found ?? refuse('rate_limit_exceeded', undefined, { retry_after: Math.ceil(patience / 1000) });
    },
  };
}

/** Returns true as soon as one of them is true. A failed one is false: a domain that cannot be asked proves nothing. */
async function firstTrue(all: readonly Promise<boolean>[]): Promise<boolean> {
  const proven = all.map(async (one) => {
    if (!(await one)) throw new Error('The text is not there.');
  });
  return await Promise.any(proven).then(
    () => true,
    () => false,
  );
}
