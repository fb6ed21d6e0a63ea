import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import type { Logger } from 'pino';
import type { Abort } from '../../../core/abort.ts';
import { NothingStored } from '../../../core/nothing-stored.ts';
import type { Clock, Instant } from '../../../core/ports/clock.ts';
import type { FileStorage } from '../../../core/ports/file-storage.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { mediaTypeOf } from '../../media-types.ts';
import { createQueue } from '../../queue.ts';
import { createWithin } from '../../within.ts';
import { checkStorageKey, isStorageKey } from '../storage-key.ts';
import { sweepFolder } from '../sweep-folder.ts';
import { untilStopped } from '../until-stopped.ts';
import { connectS3, type S3Account } from './client.ts';
import { createSkewWatch } from './clock-skew.ts';
import { explained, statusOf, translatedS3, translateS3, unlessMissing } from './errors.ts';
import { createS3Links } from './links.ts';
import { patiently } from './patience.ts';
import { createSilenceBreaker } from './silence.ts';
import { openStaging } from './staging.ts';
import { sweepUploads } from './sweep.ts';
import { createUploads } from './upload.ts';

/** Stores files in a bucket of S3 or a compatible server. The object key is the prefix and the file's key. */
export interface S3Storage extends FileStorage {
  /** The local folder for incoming files before they are stored. */
  readonly staging: string;
  /** The origin (`https://…`) of its URLs, which pages must allow. */
  readonly origin: string;
  /** Returns a URL for use in a page, valid for an hour or more, or `undefined` if the file does not exist. */
  locate(key: string): Promise<{ readonly url: string } | undefined>;
  /**
   * Deletes files in the staging folder and unfinished uploads in the bucket that are older than a time. Returns their
   * number, also if it is stopped early.
   */
  sweepStaging(olderThan: Instant, stop?: Abort): Promise<number>;
  /** Throws `Unavailable` if the server refuses, or does not respond within two seconds. */
  ping(): Promise<void>;
  /** Throws if this machine's clock is more than a minute off the server's, because links may not work then. */
  compareClocks(): Promise<void>;
  close(): Promise<void>;
}

export interface S3Options extends S3Account {
  /** Default: a temporary folder for this process, deleted by `close`. */
  readonly staging?: string | undefined;
  readonly clock: Clock;
  /** If true, opens the storage with a warning if the bucket is unavailable. */
  readonly toleratesOutage?: boolean | undefined;
  /**
   * Milliseconds for which work waits for a silent server, with all its requests and retries. Default: 10,000. Connecting
   * may take at most 3,000.
   */
  readonly timeout?: number | undefined;
  /** Milliseconds without requests after a timeout. Default: 5,000. */
  readonly pause?: number | undefined;
  readonly log?: Pick<Logger, 'warn'> | undefined;
}

/** How many files are sent at once (each has parts in memory), and how many may wait. */
const putsAtOnce = { atOnce: 4, waiting: 200 };
/** The check of the bucket may take two seconds. */
const withinPing = createWithin(2_000);

/**
 * Opens a bucket. Throws an error with the reason in one line if the bucket is missing, the credentials are wrong or
 * the endpoint is unreachable. With an endpoint, the default region is `us-east-1`, and by default the URL path
 * contains the bucket's name.
 */
export async function openS3Storage(options: S3Options): Promise<S3Storage> {
  const { bucket, clock, log, timeout = 10_000 } = options;
  const folder = await openStaging(clock, options.staging);
  const staging = folder.path;
  const skew = createSkewWatch(clock, log);
  const client = connectS3(options, timeout, skew, createSilenceBreaker(options.pause ?? 5_000, log));
  const root = options.prefix === undefined ? '' : `${options.prefix}/`;
  const links = createS3Links(client, bucket, clock);
  const uploads = createUploads(client, bucket, log);
  const puts = createQueue(putsAtOnce);
  const inTime = createWithin(timeout);

  function objectOf(key: string): string {
    checkStorageKey(key);
    return root + key;
  }
  const keyOf = (object = '') => {
    const key = object.slice(root.length);
    return object.startsWith(root) && isStorageKey(key) ? key : undefined;
  };
  async function check(): Promise<void> {
    const first = new ListObjectsV2Command({ Bucket: bucket, Prefix: root, MaxKeys: 1 });
    const { Name } = await withinPing((abortSignal) => client.send(first, { abortSignal }));
    if (Name === undefined) throw new Error('the endpoint is not an S3 server');
  }
  async function close(): Promise<void> {
    await uploads.close();
    client.destroy();
    await folder.close();
  }
  /** Runs the work when it is its turn. Throws `NothingStored` if it has to wait for longer than `timeout`. */
  async function inTurn(work: () => Promise<void>): Promise<void> {
    let isBegun = false;
    const begin = () => {
      isBegun = true;
      return work();
    };
    await inTime((tooLate) => puts(begin, tooLate)).catch((cause: unknown) => {
      throw isBegun ? cause : new NothingStored('The file storage is too slow: too many files wait for it.', { cause });
    });
  }
  const remove = (Key: string, stop?: Abort) => {
    const command = new DeleteObjectCommand({ Bucket: bucket, Key });
    return patiently(timeout, ({ signal: abortSignal }) => unlessMissing(client.send(command, { abortSignal })), stop);
  };
  async function isThere(Key: string, stop?: Abort): Promise<boolean> {
    const command = new HeadObjectCommand({ Bucket: bucket, Key });
    const head = await patiently(
      timeout,
      ({ signal: abortSignal }) => unlessMissing(client.send(command, { abortSignal })),
      stop,
    );
    return head !== undefined;
  }

  const place = options.endpoint ?? `AWS${options.region ? `, ${options.region}` : ''}`;
  try {
    await check().catch((error: unknown) => {
      const reason = explained(error, bucket, place);
      if (!options.toleratesOutage || !(reason instanceof Unavailable)) throw error;
      log?.warn({ err: reason }, 'the bucket is unavailable: requests for files get 503 until it is back');
    });
    const { origin } = new URL(await links.download(root, '', clock.now()));

    return {
      staging,
      origin,

      async put(key, path) {
        const object = objectOf(key);
        await inTurn(() =>
          translateS3(async () => {
            await patiently(timeout, ({ signal }) => uploads.put(object, path, mediaTypeOf(key), signal));
            try {
              await rm(path, { force: true });
            } catch (error) {
              await remove(object).catch(() => undefined);
              throw error;
            }
          }),
        );
      },

      async delete(key, stop) {
        const object = objectOf(key);
        await translateS3(() => remove(object, stop));
      },

      async has(key, stop) {
        const object = objectOf(key);
        return await translateS3(() => isThere(object, stop));
      },

      async *read(key) {
        const object = objectOf(key);
        try {
          const command = new GetObjectCommand({ Bucket: bucket, Key: object });
          const { Body } = await patiently(timeout, ({ signal: abortSignal }) => client.send(command, { abortSignal }));
          if (Body instanceof Readable) yield* Body;
        } catch (error) {
          throw translatedS3(error);
        }
      },

      async link(key, filename, until) {
        const object = objectOf(key);
        return await translateS3(() => links.download(object, filename, until));
      },

      async locate(key) {
        if (!isStorageKey(key)) return undefined;
        const object = objectOf(key);
        return await translateS3(async () =>
          (await isThere(object)) ? { url: await links.shown(object, mediaTypeOf(key)) } : undefined,
        );
      },

      async *storedBefore(prefix, time, stop) {
        const isStopped = () => stop?.aborted === true;
        const from = { Bucket: bucket, Prefix: root + prefix };
        try {
          for await (const { Contents } of paginateListObjectsV2({ client }, from, untilStopped(stop))) {
            for (const { Key, LastModified } of Contents ?? []) {
              if (isStopped()) return;
              const key = keyOf(Key);
              if (key !== undefined && LastModified !== undefined && LastModified.getTime() < time) yield key;
            }
            if (isStopped()) return;
          }
        } catch (error) {
          if (!isStopped()) throw translatedS3(error);
        }
      },

      async sweepStaging(olderThan, stop) {
        let swept = 0;
        try {
          swept += await folder.sweep(stop);
          swept += await sweepFolder(staging, olderThan, stop);
          swept += await sweepUploads(client, bucket, root, (object) => keyOf(object) !== undefined, olderThan, stop);
        } catch (error) {
          const status = statusOf(error);
          if (status === 403 || status === 501) {
            const advice = 'unfinished uploads in the bucket cannot be listed: set a lifecycle rule that aborts them';
            log?.warn({ err: error }, advice);
          } else throw translatedS3(error);
        }
        return swept;
      },

      async ping() {
        await translateS3(check);
      },

      compareClocks: async () => skew.assertClose(),

      close,
    };
  } catch (error) {
    await close();
    throw explained(error, bucket, place);
  }
}
