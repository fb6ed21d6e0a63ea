import type { ConnectionOptions } from 'node:tls';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import { proofPath, recordOf } from '../../core/licensing/domain-proof.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import {
  type DomainProofs,
  isOnlyAsked,
  type MissingProof,
  type WithoutProof,
} from '../../core/ports/domain-proofs.ts';
import { refuse } from '../../core/refusal.ts';
import type { Signer } from '../contracts/signer.ts';
import { createConnect } from '../guarded-connect.ts';
import { createLookUp } from '../look-up.ts';
import { createIsAllowed, type IsAllowed } from '../public-addresses.ts';
import { codeOf } from '../system-error.ts';
import { createAtOnce } from './at-once.ts';
import { NoSuchFile, readFile } from './read-file.ts';
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

type Looked = 'found' | MissingProof;

/** How each proof begins. */
const mark = 'lk=';

const hasNoRecords = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '');
const hasNoFile = (error: unknown) => error instanceof NoSuchFile;

/** A lookup holds a socket or two for seconds at most. `ofOne`: for one network. */
const most = { all: 32, ofOne: 4 };
/** Lookups for explanations: many accounts together leave places for those on which an activation depends. */
const mostAsked = { all: 12, ofOne: 2 };

/** Milliseconds for everything together. */
const standardPatience = 5_000;

/**
 * Anybody who has read a license key can make this server look up a domain, and can keep a lookup open with a name server that does not answer. So
 * lookups are limited for each network. The server connects to public addresses only, even if webhooks may be sent to others. What it reads never leaves
 * this file: callers learn whether the text is there, whether another proof is, or that a place could not be read.
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
  const atOnceToExplain = createAtOnce(mostAsked);
  const running = new Map<string, Promise<Looked | undefined>>();
  const textBy = (by: Pick<Signer, 'sign'>, key: LicenseKey, domain: DomainName) =>
    `${mark}${by.sign(`domain proof\n${key}\n${domain}`)}`;

  async function look(domain: DomainName, texts: ReadonlySet<string>): Promise<Looked> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new Error('The time of a proof is over.')), patience);
    const { signal } = ending;
    try {
      return await firstFound({
        record: judged(readRecords(recordOf(domain), servers, signal), texts, hasNoRecords),
        file: judged(readFile(new URL(`https://${domain}:${port}${proofPath}`), connect, signal), texts, hasNoFile),
      });
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
      const start = () => atOnce(from, () => look(domain, texts));
      const limited = () => (isOnlyAsked(from) ? atOnceToExplain(from, start) : start());
      const lookup = running.get(pair) ?? limited().finally(() => running.delete(pair));
      running.set(pair, lookup);
      const found = await lookup;
      return found ?? refuse('rate_limit_exceeded', undefined, { retry_after: Math.ceil(patience / 1000) });
    },
  };
}

/** Reads one place. If it cannot be read, it proves nothing, and says nothing about the other place. */
async function judged(
  reading: Promise<readonly string[]>,
  texts: ReadonlySet<string>,
  isEmpty: (error: unknown) => boolean,
): Promise<'found' | WithoutProof> {
  try {
    const lines = await reading;
    if (lines.some((one) => texts.has(one))) return 'found';
    return lines.some((one) => one.startsWith(mark)) ? 'other_text' : 'nothing';
  } catch (error) {
    return isEmpty(error) ? 'nothing' : 'failed';
  }
}

/** Does not wait for the other place if one has the text. */
async function firstFound({
  record,
  file,
}: Readonly<Record<keyof MissingProof, Promise<'found' | WithoutProof>>>): Promise<Looked> {
  const first = await Promise.race([record, file]);
  if (first === 'found') return 'found';
  const [inRecord, inFile] = await Promise.all([record, file]);
  return inRecord === 'found' || inFile === 'found' ? 'found' : { record: inRecord, file: inFile };
}
