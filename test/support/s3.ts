import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { openS3Storage, type S3Options, type S3Storage } from '../../adapters/files/s3/storage.ts';
import { parseS3Url } from '../../adapters/files/s3/url.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import type { OpenedStorage, StorageKind } from './files.ts';
import { requiredService } from './required-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const s3Server = requiredService('TEST_S3_URL', 'S3 server (eval "$(.ci/s3-server up <folder>)" starts one)');

/** A separate part of the bucket of `TEST_S3_URL` for one test, with direct access to the server. */
export interface OpenedS3 extends OpenedStorage {
  readonly storage: S3Storage;
  readonly bucket: string;
  /** The options for opening another storage on the same part. */
  readonly options: S3Options;
  /** A client that bypasses the storage. */
  readonly client: S3Client;
  /** Returns the object name of a key. */
  object(key: string): string;
  /** Returns the keys of multipart uploads that were neither completed nor aborted. */
  unfinished(): Promise<string[]>;
}

export async function openS3(changed: Partial<S3Options> = {}): Promise<OpenedS3> {
  const location = parseS3Url(s3Server.url ?? '');
  const { bucket, endpoint, region = 'us-east-1', forcePathStyle = endpoint !== undefined } = location;
  const prefix = [location.prefix, `test-${randomUUID()}`].filter((part) => part !== undefined).join('/');
  const folder = await makeTemporaryFolder();
  const options = { ...location, prefix, clock: systemClock, staging: folder.file('staging'), ...changed };
  const storage = await openS3Storage(options).catch(async (error: unknown) => {
    await folder.remove();
    throw error;
  });
  const client = new S3Client({ region, forcePathStyle, ...(endpoint !== undefined && { endpoint }) });
  const object = (key: string) => `${prefix}/${key}`;
  let count = 0;
  return {
    storage,
    bucket,
    options,
    client,
    object,
    async incoming(content) {
      const path = join(storage.staging, String(count++));
      await writeFile(path, content);
      return path;
    },
    async content(key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: object(key) }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    async unfinished() {
      const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      return (Uploads ?? []).map(({ Key = '' }) => Key);
    },
    async close() {
      for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${prefix}/` })) {
        const Objects = (Contents ?? []).map(({ Key }) => ({ Key }));
        if (Objects.length > 0) await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
      }
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      for (const { Key, UploadId } of Uploads) {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      }
      client.destroy();
      await storage.close();
      await folder.remove();
    },
  };
}

export const s3: StorageKind = { name: 'S3', skip: s3Server.skip, open: () => openS3() };
