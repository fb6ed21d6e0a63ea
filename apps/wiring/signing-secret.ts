import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { makePrivate } from '../../adapters/node/make-private.ts';
import { keepSecret, readSecret, replaceSecret, WrongSecret } from '../../adapters/node/secret-file.ts';
import { createSigner } from '../../adapters/node/signer.ts';
import type { Manifest } from '../../adapters/sql/archive/manifest.ts';
import type { Database } from '../../adapters/sql/database.ts';
import { createSqlSigningFingerprint, type SigningFingerprint } from '../../adapters/sql/signing-fingerprint.ts';
import { type Config, WrongSetting } from './config.ts';

/** The secret that signs links and previews. It is never logged or printed. */
export interface SigningSecret {
  readonly text: string;
  /** Whether it comes from SECRET_KEY, which the operator keeps. If not, exports and backups contain it. */
  readonly isGiven: boolean;
  /** Whether a later process has it too. Without a place to keep it, each process makes one for itself: nothing may be encrypted with it for the database. */
  readonly isKept: boolean;
}

/** The name of the secret's file, also in archives. */
export const secretName = 'secret.key';

/** Returns a text to compare secrets by. It reveals no more than any signed link does. */
export function fingerprintOf(secret: string): string {
  return createSigner(secret).sign('the fingerprint of a signing secret');
}

/**
 * Returns the path of the file with the secret: beside the SQLite database, else in the folder of files, which is kept
 * as long as the files are. No stored file can have this name. Returns `undefined` if there may be many machines
 * without a common folder.
 */
export function secretFileOf({ DATABASE_URL: database, FILES_URL: files }: Config): string | undefined {
  if (database.kind === 'memory') return undefined;
  if (database.kind === 'sqlite') return join(dirname(resolve(database.path)), secretName);
  return files.kind === 'disk' ? join(resolve(files.folder), secretName) : undefined;
}

/**
 * Returns the secret of this service, which is the same in all its processes. Makes its file at the first start. If an
 * older version kept the secret in the database, moves it to the file on SQLite; on Postgres, leaves it there and logs
 * a warning. The database stores its fingerprint. If the secret is lost or is that of another service, throws
 * `WrongSecret` or `WrongSetting`, and never makes a new one.
 */
export async function openSigningSecret(config: Config, database: Database, log: Logger): Promise<SigningSecret> {
  if (config.DATABASE_URL.kind === 'memory') {
    // The database ends with the process.
    return { text: config.SECRET_KEY || random(), isGiven: config.SECRET_KEY !== '', isKept: true };
  }
  const inDatabase = createSqlSigningFingerprint(database);
  const { fingerprint: known, secret: stored } = await inDatabase.read();
  const file = config.SECRET_KEY === '' ? secretFileOf(config) : undefined;
  const inFile = file && (await readSecret(file));
  return await act({ config, known, stored, inFile, fresh: random() }, inDatabase, log);
}

/** Everything that decides which secret is used. */
interface Found {
  readonly config: Config;
  /** The fingerprint in the database. */
  readonly known: string | undefined;
  /** The secret that an older version left in the database. */
  readonly stored: string | undefined;
  readonly inFile: string | undefined;
  /** A new secret, for a service that has none. */
  readonly fresh: string;
}

type Decision =
  /** Use this secret. `asIs` leaves the database as it is. */
  | { readonly kind: 'given' | 'inFile' | 'asIs'; readonly secret: string; readonly warning?: string }
  /** Make the file for this secret, which is new or comes from the database. */
  | { readonly kind: 'makeFile'; readonly file: string; readonly secret: string }
  | { readonly kind: 'refuse'; readonly error: Error };

function decide({ config, known, stored, inFile, fresh }: Found): Decision {
  const { SECRET_KEY: given, DATABASE_URL: database, FILES_URL: files } = config;
  const file = secretFileOf(config);
  const expected = known ?? (stored === undefined ? undefined : fingerprintOf(stored));
  const isRight = (secret: string) => expected === undefined || fingerprintOf(secret) === expected;
  if (given !== '') {
    const warning = config.SECRET_KEY_FORMER.some(isRight) ? changedSecret : `${changedSecret}. ${noFormer}`;
    return { kind: 'given', secret: given, ...(!isRight(given) && { warning }) };
  }
  if (file === undefined && files.kind === 'temporary') return { kind: 'asIs', secret: stored ?? fresh };
  if (file !== undefined && inFile !== undefined) {
    return isRight(inFile) ? { kind: 'inFile', secret: inFile } : { kind: 'refuse', error: wrongFile(file) };
  }
  const isStored = stored !== undefined && isRight(stored);
  if (isStored && database.kind !== 'sqlite') return { kind: 'asIs', secret: stored, warning: stillStored };
  if (file === undefined) return { kind: 'refuse', error: new WrongSetting(noFolder) };
  if (isStored || expected === undefined) return { kind: 'makeFile', file, secret: stored ?? fresh };
  return { kind: 'refuse', error: missingFile(file) };
}

async function act(found: Found, inDatabase: SigningFingerprint, log: Logger): Promise<SigningSecret> {
  const decision = decide(found);
  if (decision.kind === 'refuse') throw decision.error;
  if (decision.kind === 'makeFile') {
    // Another process may have made the file first.
    const inFile = await keepSecret(decision.file, decision.secret);
    return await act({ ...found, inFile }, inDatabase, log);
  }
  const { kind, secret, warning } = decision;
  const fingerprint = fingerprintOf(secret);
  const isAgreed = found.known === fingerprint && found.stored === undefined;
  if (kind === 'given' && !isAgreed) await inDatabase.replace(fingerprint);
  const file = secretFileOf(found.config);
  if (kind === 'inFile' && file !== undefined) {
    if (!isAgreed && (await inDatabase.agree(fingerprint)) !== fingerprint) throw wrongFile(file);
    await makePrivate(file);
  }
  if (warning !== undefined) log.warn(warning);
  return { text: secret, isGiven: kind === 'given', isKept: kind !== 'asIs' || found.stored !== undefined };
}

const changedSecret = 'SECRET_KEY has changed: links that were signed before no longer work';
const noFormer =
  'Secrets of webhooks and the key of leases, which are encrypted with the old one, cannot be read: add it to SECRET_KEY_FORMER';
const stillStored =
  'The signing secret is still in the database. Set SECRET_KEY to the same value on every machine (see SECRET_KEY in the guide Deploying); then it is deleted from the database.';
const noFolder =
  'SECRET_KEY is not set: on Postgres with files in a bucket there is no folder to keep a secret in. Set it to the same value for all processes, such as the output of `openssl rand -hex 32`.';

function missingFile(file: string): WrongSecret {
  return new WrongSecret(`${file} is missing: put the signing secret of this database back there, or set SECRET_KEY.`);
}

function wrongFile(file: string): WrongSecret {
  return new WrongSecret(
    `${file} does not contain the signing secret of this database: put the right one there, or set SECRET_KEY.`,
  );
}

/**
 * Makes an empty service sign with the secret of the service that moves there. It must not have signed anything yet.
 */
export async function adoptSigningSecret(config: Config, database: Database, secret: string): Promise<void> {
  const file = secretFileOf(config);
  if (file === undefined) {
    throw new WrongSetting(
      `SECRET_KEY is not set: on Postgres with files in a bucket, set it to the content of ${secretName}.`,
    );
  }
  await replaceSecret(file, secret);
  await createSqlSigningFingerprint(database).replace(fingerprintOf(secret));
}

/**
 * Returns the secret in the folder of an archive, or `undefined` if SECRET_KEY is set. Throws `refuse(why)` if the
 * right secret is missing.
 */
export async function archivedSecret(
  folder: string,
  { signing_secret: { included, fingerprint } }: Pick<Manifest, 'signing_secret'>,
  given: string,
  refuse: (why: string) => Error,
): Promise<string | undefined> {
  if (given !== '') return undefined;
  if (!included) throw refuse('the archive comes from a service with SECRET_KEY: set it to the same value here.');
  const secret = await readSecret(join(folder, secretName));
  if (secret === undefined || fingerprintOf(secret) !== fingerprint) {
    throw refuse(`${secretName} has changed since it was written.`);
  }
  return secret;
}

function random(): string {
  return randomBytes(32).toString('hex');
}
