import type { Logger } from 'pino';
import type { DiskStorage } from '../../adapters/files/disk.ts';
import type { WithLocalFile } from '../../adapters/files/local-copies.ts';
import type { Readiness } from '../../adapters/http/health.ts';
import type { LazySurface, SendNotFound } from '../../adapters/http/surface.ts';
import type { Argon2Cost } from '../../adapters/node/argon2.ts';
import type { Database } from '../../adapters/sql/database.ts';
import type { Replica } from '../../adapters/sql/postgres/replica.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LongWork } from '../../core/ports/long-work.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { Config } from './config.ts';
import type { FileServing, StoredFiles } from './file-serving.ts';
import { chosen, part } from './part.ts';

type Checks = Readiness['checks'];

// What `compose` is given or always takes.
export const config = chosen<Config>('config');
export const log = chosen<Logger>('log');
export const clock = chosen<Clock>('clock');
export const secrets = chosen<Secrets>('secrets');
export const longWork = chosen<LongWork>('longWork');
/** The cost of hashing a password, if it is not the usual one. */
export const passwordCost = chosen<Argon2Cost | undefined>('passwordCost');

// Chosen by DATABASE_URL and DATABASE_READ_URL.
export const database = chosen<Database>('database');
/** Only with a replica. */
export const replica = chosen<Replica>('replica');
export const verifier = chosen<Verifier>('verifier');
/** Checks of the database. Their results are reported, but do not affect readiness. */
export const databaseWarnings = chosen<Checks>('databaseWarnings');

// Chosen by FILES_URL.
export const files = chosen<StoredFiles>('files');
/** Only with files on disk. */
export const disk = chosen<DiskStorage>('disk');
export const withLocalFile = chosen<WithLocalFile>('withLocalFile');
export const fileServing = chosen<FileServing>('fileServing');
export const fileChecks = chosen<Checks>('fileChecks');
/** Checks of the file storage. Their results are reported, but do not affect readiness. */
export const fileWarnings = chosen<Checks>('fileWarnings');

// Chosen by SURFACE.
/** The surfaces of this process. A closed one stands for each that it does not serve. */
export const surfaces = chosen<readonly LazySurface[]>('surfaces');
/** Checks that must pass before this process is ready. */
export const neededChecks = chosen<Checks>('neededChecks');
/** All checks whose results are reported, but do not affect readiness. */
export const warnings = chosen<Checks>('warnings');
export const sendNotFound = chosen<SendNotFound>('sendNotFound');

/** A setting. */
export const setting = <Name extends keyof Config>(name: Name) => part(({ config }) => config[name], { config });

/** How long links for downloading are valid, in milliseconds. */
export const linkLifetime = part(({ seconds }) => seconds * 1000, { seconds: setting('DOWNLOAD_LINK_LIFETIME') });
