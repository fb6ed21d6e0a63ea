import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { AbortMultipartUploadCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Logger } from 'pino';
import { statusOf, unlessMissing } from './s3-errors.ts';

/** Bytes; what S3 asks for at least. Two are in memory for each file that is being stored. */
const partSize = 5 * 1024 * 1024;
const mostParts = 10_000;

/** Has the server refuse a key that is taken. */
const ifNew: Condition = { IfNoneMatch: '*' };
interface Condition {
  readonly IfNoneMatch?: '*';
}

/** Stores the file at a path as a new object. Where it fails, it takes back what it has sent. */
export type UploadFile = (object: string, path: string, type: string) => Promise<void>;

export function createUpload(client: S3Client, bucket: string, log?: Pick<Logger, 'warn'>): UploadFile {
  /** Some vendors' servers know no conditions, and say so. */
  let isConditional = true;

  const stored = async (object: string) =>
    await unlessMissing(client.send(new HeadObjectCommand({ Bucket: bucket, Key: object })));

  async function send(object: string, path: string, type: string, condition: Condition): Promise<void> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error(`Not a regular file: ${path}`);
      await sendOpen(object, file, stats.size, type, condition);
    } finally {
      await file.close();
    }
  }

  async function sendOpen(
    object: string,
    file: FileHandle,
    size: number,
    type: string,
    condition: Condition,
  ): Promise<void> {
    const id = randomUUID();
    const body = size === 0 ? Buffer.alloc(0) : file.createReadStream({ start: 0, end: size - 1 });
    const upload = new Upload({
      client,
      params: {
        Bucket: bucket,
        Key: object,
        Body: body,
        ContentType: type,
        Metadata: { put: id },
        ...condition,
      },
      partSize: Math.max(partSize, Math.ceil(size / mostParts)),
      queueSize: 2,
      leavePartsOnError: true,
    });
    try {
      await upload.done();
    } catch (error) {
      if (await isStored(object, id)) return;
      await abort(object, upload.uploadId);
      throw error;
    } finally {
      if (!Buffer.isBuffer(body)) body.destroy();
    }
  }

  /** Whether the object is there although the answer that said so was lost; a retry is then refused by our own object. */
  async function isStored(object: string, id: string): Promise<boolean> {
    const found = await stored(object).catch(() => undefined);
    return found?.Metadata?.put === id;
  }

  async function abort(object: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return;
    const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: object, UploadId: uploadId });
    await unlessMissing(client.send(command)).catch((err: unknown) => {
      log?.warn({ err, object }, 'an unfinished upload stays in the bucket until the next sweep');
    });
  }

  return async (object, path, type) => {
    // Asked first for the sake of servers that pass over the condition, or do so for large files.
    if (await stored(object)) throw taken(object);
    const condition = isConditional ? ifNew : {};
    try {
      await send(object, path, type, condition);
    } catch (error) {
      if (statusOf(error) === 412) throw taken(object, error);
      if (statusOf(error) !== 501 || condition !== ifNew) throw error;
      isConditional = false;
      await send(object, path, type, {});
    }
  };
}

function taken(object: string, cause?: unknown): Error {
  return new Error(`There is an object already: ${object}`, { cause });
}
