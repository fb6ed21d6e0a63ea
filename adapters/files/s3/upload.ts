import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { AbortMultipartUploadCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Logger } from 'pino';
import { NothingStored } from '../../../core/nothing-stored.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { statusOf, translatedS3, unlessMissing } from './errors.ts';

/** Bytes; what S3 asks for at least. Two are in memory for each file that is being stored. */
const partSize = 5 * 1024 * 1024;
const mostParts = 10_000;
/** Milliseconds that aborting a failed upload may take: the caller waits for it too. */
const patience = 2_000;
/** Milliseconds between two attempts to abort what could not be aborted. */
const abortAgainEvery = 10_000;

/** Has the server refuse a key that is taken. */
const ifNew: Condition = { IfNoneMatch: '*' };
interface Condition {
  readonly IfNoneMatch?: '*';
}

/** Stores files as new objects. */
export interface Uploads {
  /**
   * Stores the file at a path. If that fails, it aborts what it has sent, and keeps trying to if the server does not respond.
   * Throws `NothingStored` if the server is out before anything was sent.
   */
  put(object: string, path: string, type: string): Promise<void>;
  /** Tries a last time to take back what was sent. */
  close(): Promise<void>;
}

export function createUploads(client: S3Client, bucket: string, log?: Pick<Logger, 'warn'>): Uploads {
  const abandoned = new Map<string, string>();
  const abortAll = () => Promise.all(Array.from(abandoned, ([uploadId, object]) => tryAbort(object, uploadId)));
  const timer = setInterval(() => void abortAll(), abortAgainEvery).unref();

  /** Some vendors' servers know no conditions, and say so. */
  let isConditional = true;

  const stored = async (object: string, options?: { readonly abortSignal: AbortSignal }) =>
    await unlessMissing(client.send(new HeadObjectCommand({ Bucket: bucket, Key: object }), options));

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
    const found = await stored(object, soon()).catch(() => undefined);
    return found?.Metadata?.put === id;
  }

  async function abort(object: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return;
    abandoned.set(uploadId, object);
    const error = await tryAbort(object, uploadId);
    if (error !== undefined) log?.warn({ err: error, object }, 'an unfinished upload stays in the bucket for now');
  }

  /** Resolves with what kept it from being aborted. */
  async function tryAbort(object: string, uploadId: string): Promise<unknown> {
    const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: object, UploadId: uploadId });
    try {
      await unlessMissing(client.send(command, soon()));
      abandoned.delete(uploadId);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async function put(object: string, path: string, type: string): Promise<void> {
    // Asked first for the sake of servers that pass over the condition, or do so for large files.
    if (await stored(object).catch(notBegun)) throw taken(object);
    const condition = isConditional ? ifNew : {};
    try {
      await send(object, path, type, condition);
    } catch (error) {
      if (statusOf(error) === 412) throw taken(object, error);
      if (statusOf(error) !== 501 || condition !== ifNew) throw error;
      isConditional = false;
      await send(object, path, type, {});
    }
  }

  return {
    put,
    async close() {
      clearInterval(timer);
      await abortAll();
    },
  };
}

function soon(): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(patience) };
}

function notBegun(error: unknown): never {
  const outage = translatedS3(error);
  throw outage instanceof Unavailable ? new NothingStored(outage.message, { cause: error }) : error;
}

function taken(object: string, cause?: unknown): Error {
  return new Error(`There is an object already: ${object}`, { cause });
}
