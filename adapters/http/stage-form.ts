import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StorageEngine } from '@koa/multer';
import type { MulterError } from 'multer';
import { Unavailable } from '../../core/unavailable.ts';
import { isDiskOutage } from '../system-error.ts';
import { Failure } from './failures.ts';
import { feedUpTo, formTooLarge, textLimits, tooLong, tooManyFiles } from './form-feed.ts';
import type { Context } from './state.ts';

/** A file of a form, on the disk. */
export interface Staged {
  readonly fieldname: string;
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** It was longer than its field allows, so its end is missing. Only with `readsOn`. */
  readonly isTooLarge: boolean;
}

/** The limits of a multipart body. */
export interface FormLimits {
  /** Bytes of all files together. */
  readonly total: number;
  /** The number of files. */
  readonly files: number;
  /** Bytes of a file in this field. */
  largest(field: string): number;
  /**
   * Whether a file that is too large is read on to its end, without being written, so that the fields after it are known.
   * For pages, which show again what was typed. Even then, twice the total is too long.
   */
  readonly readsOn?: boolean | undefined;
  /** How many texts it may have besides the files, and how many bytes each, if these are not the usual ones. */
  readonly texts?: { readonly fields: number; readonly fieldSize: number };
  /** Why so little is allowed, if there is a reason. */
  readonly why?: string | undefined;
}

function longestOf({ total, readsOn = false }: FormLimits): number {
  return (readsOn ? 2 * total : total) + allowanceForFields;
}

/** Bytes that a form may have besides its files. */
const allowanceForFields = 1_048_576;

/**
 * Refuses a body that is no form, or that is longer than its files and fields may be together, without reading it.
 * Returns the minimum total size of the files, which is 0 if it is not known.
 */
export function expectForm(ctx: Context, limits: FormLimits): number {
  if (!ctx.request.is('multipart/form-data')) {
    throw new Failure('unsupported_media_type', { detail: 'The request body must be multipart/form-data.' });
  }
  const length = ctx.request.length ?? 0;
  if (length > longestOf(limits)) throw tooLong(longestOf(limits), limits.why);
  return Math.max(0, length - allowanceForFields);
}

/** Reads a form. Streams its files to this folder, and never keeps them in memory. After an error, deletes them. */
export async function stageForm(
  ctx: Context,
  folder: string,
  limits: FormLimits,
): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly staged: readonly Staged[] }> {
  const { default: multer } = await import('@koa/multer');
  const feeding = feedUpTo(longestOf(limits));
  const storage = new Staging(folder, limits, feeding.stop);
  const receiver = multer({
    storage,
    streamHandler: feeding.feed,
    limits: { ...textLimits, ...limits.texts, files: limits.files },
  });
  try {
    await Promise.race([receiver.any()(ctx, async () => undefined), feeding.refused]);
  } catch (error) {
    await storage.discard();
    throw asFailure(storage.failure ?? error);
  }
  const { body, files } = ctx.request as { body?: object; files?: Staged[] };
  // multer ignores a body if it cannot read its content type.
  if (body === undefined) throw new Failure('bad_request', { detail: unreadable });
  return { fields: { ...body }, staged: files ?? [] };
}

/** Deletes staged files. Then frees the place that they took, even if a file cannot be deleted. */
export async function discardFiles(paths: readonly string[], leavePlace: () => void): Promise<void> {
  try {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  } finally {
    leavePlace();
  }
}

const unreadable = 'The multipart body could not be read.';

export function tooLarge(field: string, limit: number, why = ''): Failure {
  const detail = `The file in ${field} may have at most ${limit} bytes. ${why}`.trim();
  return new Failure('payload_too_large', { detail });
}

/** Writes each file part to its own file, and deletes files that did not arrive completely. */
class Staging implements StorageEngine {
  readonly #folder: string;
  readonly #limits: FormLimits;
  readonly #work: Promise<void>[] = [];
  readonly #paths: string[] = [];
  /** The error of the first file that could not be stored. */
  failure: Error | undefined;
  readonly #stop: (failure: Error) => void;

  /** `stop` ends the reading of the form. */
  constructor(folder: string, limits: FormLimits, stop: (failure: Error) => void) {
    this.#folder = folder;
    this.#limits = limits;
    this.#stop = stop;
  }

  _handleFile(
    _request: unknown,
    file: { readonly fieldname: string; readonly stream: Readable },
    done: (error?: unknown, info?: Omit<Staged, 'fieldname'>) => void,
  ): void {
    const path = join(this.#folder, randomUUID());
    const { readsOn = false, why } = this.#limits;
    const limit = this.#limits.largest(file.fieldname);
    const hash = createHash('sha256');
    let size = 0;
    // multer reports a broken stream as an error of the client, so the reason is kept here.
    const measured = async function* (this: Staging, chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > limit && readsOn) continue;
        if (size > limit) {
          this.failure ??= tooLarge(file.fieldname, limit, why);
          throw this.failure;
        }
        hash.update(chunk);
        yield chunk;
      }
    }.bind(this);
    const work = pipeline(file.stream, measured, createWriteStream(path, { flags: 'wx' })).then(
      () => done(null, { path, size, sha256: hash.digest('hex'), isTooLarge: size > limit }),
      (error) => {
        if (error instanceof Error && 'errno' in error) this.failure ??= error; // An error of the disk, not the client.
        if (this.failure !== undefined) this.#stop(this.failure);
        return rm(path, { force: true }).then(() => done(error), done);
      },
    );
    this.#work.push(work);
    this.#paths.push(path);
  }

  /** Waits until all writes have ended, then deletes the files. multer deletes them too, but the response does not wait for it. */
  async discard(): Promise<void> {
    await Promise.all(this.#work);
    await Promise.all(this.#paths.map((path) => rm(path, { force: true })));
  }

  _removeFile(_request: unknown, file: { readonly path?: string }, done: (error: Error | null) => void): void {
    (file.path === undefined ? Promise.resolve() : rm(file.path, { force: true })).then(() => done(null), done);
  }
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isDiskOutage(error)) return new Unavailable('Incoming files cannot be written at the moment.', { cause: error });
  if (error.name === 'MulterError') {
    const { code, field } = error as MulterError;
    const detail = code === 'LIMIT_FILE_COUNT' ? tooManyFiles : formTooLarge;
    return new Failure('validation_error', { detail, ...(field && { fields: { [field]: [detail] } }) });
  }
  const isMalformed = /^(Multipart: |Unexpected end of form|Malformed part|Request (aborted|closed)|Part terminated)/;
  return isMalformed.test(error.message) ? new Failure('bad_request', { detail: unreadable, cause: error }) : error;
}
