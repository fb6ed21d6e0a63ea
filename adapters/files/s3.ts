import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { bulkhead } from 'cockatiel';
import type { Logger } from 'pino';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { explained, statusOf, translatedS3, translateS3, unlessMissing } from './s3-errors.ts';
import { createS3Links } from './s3-links.ts';
import { makeStaging } from './s3-staging.ts';
import { sweepUploads } from './s3-sweep.ts';
import { createUpload } from './s3-upload.ts';
import type { S3Location } from './s3-url.ts';
import { checkStorageKey, isStorageKey } from './storage-key.ts';
import { sweepFolder } from './sweep-folder.ts';

/** Files in a bucket of S3, or of a server that speaks as it does: the key is the object's, after the prefix. */
export interface S3Storage extends FileStorage {
  /** The folder of this machine where incoming files are written before they are put. */
  readonly staging: string;
  /** The origin (`https://…`) that its addresses lead to, for pages that have to allow it. */
  readonly origin: string;
  /** The address of a file to be shown in a page, good for an hour or more; `undefined` where there is no such file. */
  locate(key: string): Promise<{ readonly url: string } | undefined>;
  /** Deletes what was left in the staging folder, and unfinished in the bucket, before a time; answers how many there were. */
  sweepStaging(olderThan: Instant): Promise<number>;
  /** Throws `Unavailable` where the bucket is out for the moment, and what the server says where it refuses. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface S3Options extends S3Location {
  /** Default: what the SDK finds, in the environment first. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Default: a folder of this user's among the system's temporary files. */
  readonly staging?: string | undefined;
  readonly clock: Clock;
  /** Milliseconds that the server may be silent for, of each of three attempts. Default: 15,000. */
  readonly timeout?: number | undefined;
  readonly log?: Pick<Logger, 'warn'> | undefined;
}

const types: Readonly<Record<string, string>> = { zip: 'application/zip', png: 'image/png', jpg: 'image/jpeg' };
/** Files of which parts are in memory at once; others wait. */
const putsAtOnce = 4;

/**
 * Opens a bucket. Throws one line that says why where it is missing, the credentials are wrong or the endpoint cannot be
 * reached. With an endpoint, the region is `us-east-1` and the bucket is named in the path, unless told otherwise.
 */
export async function openS3Storage(options: S3Options): Promise<S3Storage> {
  const { bucket, clock, log } = options;
  const staging = await makeStaging(options.staging);
  const client = connect(options);
  const root = options.prefix === undefined ? '' : `${options.prefix}/`;
  const links = createS3Links(client, bucket, clock);
  const upload = createUpload(client, bucket, log);
  const puts = bulkhead(putsAtOnce, Number.POSITIVE_INFINITY);

  function objectOf(key: string): string {
    checkStorageKey(key);
    return root + key;
  }
  const keyOf = (object = '') => {
    const key = object.slice(root.length);
    return object.startsWith(root) && isStorageKey(key) ? key : undefined;
  };
  async function check(): Promise<void> {
    const { Name } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: root, MaxKeys: 1 }));
    if (Name === undefined) throw new Error('what answers there is no S3 server');
  }
  const remove = (object: string) =>
    unlessMissing(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: object })));
  const isThere = async (object: string) =>
    (await unlessMissing(client.send(new HeadObjectCommand({ Bucket: bucket, Key: object })))) !== undefined;

  try {
    await check();
    const { origin } = new URL(await links.download(root, '', clock.now()));

    return {
      staging,
      origin,

      async put(key, path) {
        const object = objectOf(key);
        await puts.execute(() =>
          translateS3(async () => {
            await upload(object, path, typeOf(key));
            try {
              await rm(path, { force: true });
            } catch (error) {
              await remove(object).catch(() => undefined);
              throw error;
            }
          }),
        );
      },

      async delete(key) {
        const object = objectOf(key);
        await translateS3(() => remove(object));
      },

      async has(key) {
        const object = objectOf(key);
        return await translateS3(() => isThere(object));
      },

      async *read(key) {
        const object = objectOf(key);
        try {
          const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: object }));
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
          (await isThere(object)) ? { url: await links.shown(object, typeOf(key)) } : undefined,
        );
      },

      async *storedBefore(prefix, time) {
        try {
          for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: root + prefix })) {
            for (const { Key, LastModified } of page.Contents ?? []) {
              const key = keyOf(Key);
              if (key !== undefined && LastModified !== undefined && LastModified.getTime() < time) yield key;
            }
          }
        } catch (error) {
          throw translatedS3(error);
        }
      },

      async sweepStaging(olderThan) {
        return await translateS3(async () => {
          const swept = await sweepFolder(staging, olderThan);
          try {
            return (
              swept + (await sweepUploads(client, bucket, root, (object) => keyOf(object) !== undefined, olderThan))
            );
          } catch (error) {
            const status = statusOf(error);
            if (status !== 403 && status !== 501) throw error;
            log?.warn(
              { err: error },
              'unfinished uploads in the bucket cannot be listed: let a lifecycle rule abort them',
            );
            return swept;
          }
        });
      },

      async ping() {
        await translateS3(check);
      },

      async close() {
        client.destroy();
      },
    };
  } catch (error) {
    client.destroy();
    throw explained(error, bucket, options.endpoint ?? `AWS${options.region ? `, ${options.region}` : ''}`);
  }
}

function connect({ endpoint, region, forcePathStyle, credentials, timeout = 15_000 }: S3Options): S3Client {
  const place = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(place !== undefined && { region: place }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    // The signature holds the SHA-256 of all that is sent; further checksums are not understood by every vendor's server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: Math.min(timeout, 5_000), socketTimeout: timeout },
  });
}

function typeOf(key: string): string {
  return types[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
