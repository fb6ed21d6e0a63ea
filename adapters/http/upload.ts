import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multer, { type StorageEngine } from '@koa/multer';
import type { MulterError } from 'multer';
import type { z } from 'zod';
import type { Abort } from '../../core/abort.ts';
import type { UserId } from '../../core/id.ts';
import type { CheckedFile, FileKind } from '../../core/marketplace/checked-file.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { FileInspection } from '../file-inspection.ts';
import { createQueues } from '../queue.ts';
import { isDiskOutage } from '../system-error.ts';
import { clientGone } from './client-gone.ts';
import { Failure, type FieldErrors } from './failures.ts';
import { missing } from './fields.ts';
import { feedUpTo, formTooLarge, tooLong, tooManyFiles } from './form-feed.ts';
import type { Context } from './state.ts';

/** A multipart body: its text fields, and which files it takes in which field. */
export interface Form {
  readonly fields: z.ZodType;
  /** What may be sent in each file field, all of which are required. */
  readonly files: Readonly<Record<string, { readonly kinds: readonly FileKind[]; readonly description: string }>>;
  /** The name under which a single file is taken, whatever its field is called. */
  readonly anyFileAs?: string;
}

/**
 * Reads a multipart body: files go to disk as they come, and are never held in memory. Throws `Unavailable` if too many forms
 * wait for the check of their files, and stops if the client goes away: nothing is left on the disk then.
 */
export type FormReader = (
  ctx: Context,
  form: Form,
  /** Throws if `bytes`, the least that the files have, do not fit. Called before reading. */
  admit?: (bytes: number) => Promise<void>,
) => Promise<{
  readonly fields: Readonly<Record<string, unknown>>;
  /** They lie in the staging folder until the request ends. */
  readonly files: Readonly<Record<string, CheckedFile>>;
  /** SHA-256 of each file. */
  readonly digests: Readonly<Record<string, string>>;
  /** What is wrong with the files, by field. */
  readonly faults: FieldErrors;
  /** Deletes what was not taken away. */
  discard(): Promise<void>;
}>;

/** Bytes. */
export interface UploadLimits {
  readonly zip: number;
  readonly image: number;
}

/** Which limit each kind of file has. */
const limitOf = { zip: 'zip', png: 'image', jpg: 'image' } as const satisfies Record<FileKind, keyof UploadLimits>;

interface Staged {
  readonly fieldname: string;
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * The files of one form at a time are inspected for each account: no account can fill a queue that all share. What waits lies on
 * the disk meanwhile.
 */
const perAccount = { atOnce: 1, waiting: 20 };

/** `staging` is the folder that files are received in, on the file system that they are stored on. */
export function createFormReader(staging: string, inspection: FileInspection, limits: UploadLimits): FormReader {
  const inTurn = createQueues<UserId | undefined>(perAccount);
  return async (ctx, form, admit) => {
    if (!ctx.request.is('multipart/form-data')) {
      throw new Failure('unsupported_media_type', { detail: 'The request body must be multipart/form-data.' });
    }
    refuseHopeless(ctx, form);
    const least = (ctx.request.length ?? 0) - allowanceForFields;
    if (least > 0) await admit?.(least);
    const { fields, staged } = await receive(ctx, form);
    const discard = async () => {
      await Promise.all(staged.map(({ path }) => rm(path, { force: true })));
    };
    const gone = clientGone(ctx.req.socket);
    try {
      const work = () => check(form, staged, gone);
      const { files, digests, faults } = await inTurn(ctx.state.caller?.user.id, work, gone);
      gone.throwIfAborted();
      return { fields, files, digests, faults, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  };

  /** What is longer than all its files may be is not read at all. */
  function refuseHopeless(ctx: Context, form: Form): void {
    const most = longest(form);
    if ((ctx.request.length ?? 0) > most) throw tooLong(most);
  }

  function longest(form: Form): number {
    return Object.keys(form.files).reduce((sum, field) => sum + largest(form, field), allowanceForFields);
  }

  function largest(form: Form, field: string): number {
    const kinds = form.files[form.anyFileAs ?? field]?.kinds;
    // A field that takes no file is refused when all is read.
    return kinds === undefined ? limits.image : Math.max(...kinds.map((kind) => limits[limitOf[kind]]));
  }

  async function receive(ctx: Context, form: Form) {
    const storage = new Staging(staging, (field) => largest(form, field));
    const feeding = feedUpTo(longest(form));
    const receiver = multer({
      storage,
      streamHandler: feeding.feed,
      limits: { files: Object.keys(form.files).length, fields: 50, fieldSize: 262_144, fieldNameSize: 100, parts: 60 },
    });
    try {
      await Promise.race([receiver.any()(ctx, async () => undefined), feeding.refused]);
    } catch (error) {
      await storage.settled();
      throw asFailure(storage.failure ?? error);
    }
    const { body, files } = ctx.request as { body?: object; files?: Staged[] };
    // multer passes over a body whose type it cannot read.
    if (body === undefined) throw new Failure('bad_request', { detail: unreadable });
    return { fields: { ...body }, staged: files ?? [] };
  }

  async function check(form: Form, staged: readonly Staged[], gone: Abort) {
    const files: Record<string, CheckedFile> = {};
    const digests: Record<string, string> = {};
    // Without a prototype: clients choose the names of fields, and may choose `constructor`.
    const faults: Record<string, string[]> = Object.create(null);
    for (const { fieldname, path, size, sha256 } of staged) {
      const field = form.anyFileAs ?? fieldname;
      const kinds = form.files[field]?.kinds;
      const fault = (text: string) => {
        faults[field] = [...(faults[field] ?? []), text];
      };
      if (kinds === undefined) fault('It takes no file.');
      else if (field in digests) fault('It takes one file only.');
      else {
        digests[field] = sha256;
        const found = await inspection.inspect(path, gone);
        if (found.kind === 'unusable') fault(found.why);
        else if (!kinds.includes(found.kind))
          fault(`It must be ${kinds.map((kind) => kind.toUpperCase()).join(' or ')}.`);
        else if (size > limits[limitOf[found.kind]]) throw tooLarge(field, limits[limitOf[found.kind]]);
        else files[field] = { path, kind: found.kind, size };
      }
    }
    for (const field of Object.keys(form.files)) {
      if (!(field in digests) && !(field in faults)) faults[field] = [missing];
    }
    return { files, digests, faults };
  }
}

/** Bytes that a form may have beside its files. */
const allowanceForFields = 1_048_576;

const unreadable = 'The multipart body could not be read.';

function tooLarge(field: string, limit: number): Failure {
  return new Failure('payload_too_large', { detail: `The file in ${field} may have ${limit} bytes.` });
}

/** Writes each file part to a file of its own, and takes away what did not arrive whole. */
class Staging implements StorageEngine {
  readonly #folder: string;
  readonly #largest: (field: string) => number;
  readonly #work: Promise<void>[] = [];
  /** Why the first file that could not be taken was not. */
  failure: unknown;

  constructor(folder: string, largest: (field: string) => number) {
    this.#folder = folder;
    this.#largest = largest;
  }

  _handleFile(
    _request: unknown,
    file: { readonly fieldname: string; readonly stream: Readable },
    done: (error?: unknown, info?: Omit<Staged, 'fieldname'>) => void,
  ): void {
    const path = join(this.#folder, randomUUID());
    const limit = this.#largest(file.fieldname);
    const hash = createHash('sha256');
    let size = 0;
    // multer takes a stream that is broken off for the client's failure, so the reason is kept here.
    const measured = async function* (this: Staging, chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > limit) {
          this.failure ??= tooLarge(file.fieldname, limit);
          throw this.failure;
        }
        hash.update(chunk);
        yield chunk;
      }
    }.bind(this);
    const work = pipeline(file.stream, measured, createWriteStream(path, { flags: 'wx' })).then(
      () => done(null, { path, size, sha256: hash.digest('hex') }),
      (error) => {
        if (error instanceof Error && 'errno' in error) this.failure ??= error; // The disk's fault, not the client's.
        return rm(path, { force: true }).then(() => done(error), done);
      },
    );
    this.#work.push(work);
  }

  /** Resolves when nothing is written any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#work);
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
