import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { AbortMultipartUploadCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Logger } from 'pino';
import { NothingStored } from '../../../core/nothing-stored.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { createWithin } from '../../within.ts';
import { statusOf, translatedS3, unlessMissing } from './errors.ts';

/** Bytes. The smallest part size of S3. Each file that is sent has two parts in memory. */
const partSize = 5 * 1024 * 1024;
const mostParts = 10_000;
/** Each request to clean up after a failed upload may take two seconds. The caller waits for it. */
const soon = createWithin(2_000);
/** Milliseconds between two attempts to abort failed uploads. */
const abortAgainEvery = 10_000;

/** Makes the server refuse a key that is already in use. */
const ifNew: Condition = { IfNoneMatch: '*' };
interface Condition {
  readonly IfNoneMatch?: '*';
}

/** Stores files as new objects. */
export interface Uploads {
  /**
   * Stores the file at a path. If that fails, aborts the upload, and retries the abort if the server does not respond.
   * Throws `NothingStored` if the server is unavailable before anything was sent. When `until` is aborted, it throws at
   * once, and aborts the upload later.
   */
  put(object: string, path: string, type: string, until: AbortSignal): Promise<void>;
  /** Tries a last time to abort failed uploads. */
  close(): Promise<void>;
}

export function createUploads(client: S3Client, bucket: string, log?: Pick<Logger, 'warn'>): Uploads {
  const abandoned = new Map<string, string>();
  const abortAll = () => Promise.all(Array.from(abandoned, ([uploadId, object]) => tryAbort(object, uploadId)));
  const timer = setInterval(() => void abortAll(), abortAgainEvery).unref();

  /** False after the server said, with status 501, that it does not support conditions. */
  let isConditional = true;

  const stored = async (object: string, abortSignal: AbortSignal) =>
    await unlessMissing(client.send(new HeadObjectCommand({ Bucket: bucket, Key: object }), { abortSignal }));

  async function send(
    object: string,
    path: string,
    type: string,
    condition: Condition,
    until: AbortSignal,
  ): Promise<void> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error(`Not a regular file: ${path}`);
      await sendOpen(object, file, stats.size, type, condition, until);
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
    until: AbortSignal,
  ): Promise<void> {
    const id = randomUUID();
    const body = size === 0 ? Buffer.alloc(0) : file.createReadStream({ start: 0, end: size - 1 });
    const upload = new Upload({
      client: sendingUntil(client, until),
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
      if (!until.aborted && (await isStored(object, id))) return;
      await abort(object, upload.uploadId, until);
      throw error;
    } finally {
      if (!Buffer.isBuffer(body)) body.destroy();
    }
  }

  /**
   * Whether the upload succeeded although its response was lost. In that case the SDK's retry fails, because our own
   * object already exists.
   */
  async function isStored(object: string, id: string): Promise<boolean> {
    const found = await soon((signal) => stored(object, signal)).catch(() => undefined);
    return found?.Metadata?.put === id;
  }

  async function abort(object: string, uploadId: string | undefined, until: AbortSignal): Promise<void> {
    if (uploadId === undefined) return;
    abandoned.set(uploadId, object);
    const error = until.aborted ? until.reason : await tryAbort(object, uploadId);
    if (error !== undefined) log?.warn({ err: error, object }, 'an unfinished upload stays in the bucket for now');
  }

  /** Tries to abort an upload. Returns the error if that fails. */
  async function tryAbort(object: string, uploadId: string): Promise<unknown> {
    const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: object, UploadId: uploadId });
    try {
      await unlessMissing(soon((abortSignal) => client.send(command, { abortSignal })));
      abandoned.delete(uploadId);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async function put(object: string, path: string, type: string, until: AbortSignal): Promise<void> {
    // Some servers ignore the condition, or ignore it for large files. So this checks first.
    if (await stored(object, until).catch(notBegun)) throw taken(object);
    const condition = isConditional ? ifNew : {};
    try {
      await send(object, path, type, condition, until);
    } catch (error) {
      if (statusOf(error) === 412) throw taken(object, error);
      if (statusOf(error) !== 501 || condition !== ifNew) throw error;
      isConditional = false;
      await send(object, path, type, {}, until);
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

/** Returns the client with a signal for all requests. The SDK's upload gives them none. */
function sendingUntil(client: S3Client, abortSignal: AbortSignal): S3Client {
  const send = (command: Parameters<S3Client['send']>[0]) => client.send(command, { abortSignal });
  return Object.create(client, { send: { value: send } });
}

function notBegun(error: unknown): never {
  const outage = translatedS3(error);
  throw outage instanceof Unavailable ? new NothingStored(outage.message, { cause: error }) : error;
}

function taken(object: string, cause?: unknown): Error {
  return new Error(`The object already exists: ${object}`, { cause });
}
