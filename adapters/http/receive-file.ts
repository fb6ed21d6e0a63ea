import { createHash, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { UserId } from '../../core/id.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import { longestProductMap } from '../../core/selling/foreign-export.ts';
import { retryAfter } from '../../core/selling/import-turns.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { isDiskOutage } from '../system-error.ts';
import { clientGone } from './client-gone.ts';
import { decompressed } from './decompressed.ts';
import { busy, Failure } from './failures.ts';
import { missing } from './fields.ts';
import { tooLong } from './form-feed.ts';
import { discardFiles, expectForm, stageForm } from './stage-form.ts';
import type { Context } from './state.ts';

/** A body on the disk, in the staging folder. */
export interface ReceivedFile {
  readonly path: string;
  readonly sha256: string;
  discard(): Promise<void>;
}

/** The file of a form, and the form's text fields. */
export interface ReceivedForm extends ReceivedFile {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Why a file is not received now. `detail` says it. */
export type Busy = 'file_being_imported' | 'files_being_imported';

/**
 * Writes a file to the disk as it arrives. An account can send one at a time. If the client disconnects, nothing stays on
 * the disk.
 */
export interface FileReceiver {
  /** The limit in bytes. */
  readonly most: number;
  /**
   * Writes a body in UTF-8 of this media type, or the file in this field of a form that is sent instead. Returns the text fields
   * of that form too.
   */
  body(ctx: Context, mediaType: string, field: string, sender: UserId): Promise<ReceivedForm>;
  /** Writes the file in this field of a form. If there is none, returns only the text fields. */
  form(
    ctx: Context,
    field: string,
    sender: UserId,
  ): Promise<ReceivedForm | Pick<ReceivedForm, 'fields'> | Refused<Busy | 'payload_too_large'>>;
}

/** The texts of a form: such as which product is which, whose characters have up to four bytes. */
const texts = { fields: 20, fieldSize: 4 * longestProductMap };

/** When another try is worth it after one's own file, in seconds. */
const afterOwn = 10;

/** The files that one process receives or works on at the same time, so that they cannot fill the disk. */
const mostAtOnce = 4;

/** `staging` is the folder for incoming files. `most` is the limit in bytes. */
export function createFileReceiver(staging: string, most: number): FileReceiver {
  const senders = new Set<UserId>();

  /** Reserves the sender's place, or refuses if it is already in use. */
  function takePlace(sender: UserId): Refused<Busy> | undefined {
    if (senders.has(sender)) {
      return refuse(
        'file_being_imported',
        'Another file of this account is being imported. Wait until it has finished.',
        { retry_after: afterOwn },
      );
    }
    if (senders.size >= mostAtOnce) {
      return refuse('files_being_imported', 'Other files are being imported. Try again in some minutes.', {
        retry_after: retryAfter,
      });
    }
    senders.add(sender);
    return undefined;
  }

  function leavePlace(sender: UserId): void {
    senders.delete(sender);
  }

  const form: FileReceiver['form'] = async (ctx, field, sender) => {
    const refused = takePlace(sender);
    if (refused !== undefined) return refused;
    try {
      const limits = { total: most, files: 1, largest: () => most, texts };
      expectForm(ctx, limits);
      const { fields, staged } = await stageForm(ctx, staging, limits);
      const paths = staged.map(({ path }) => path);
      const discard = () => discardFiles(paths, () => leavePlace(sender));
      const found = staged.find(({ fieldname }) => fieldname === field);
      if (found !== undefined) return { fields, path: found.path, sha256: found.sha256, discard };
      await discard();
      return { fields };
    } catch (error) {
      leavePlace(sender);
      if (error instanceof Failure && error.reason === 'payload_too_large') return refuse(error.reason);
      throw error;
    }
  };

  /** As `form`, but throws what was refused. */
  async function sentForm(ctx: Context, field: string, sender: UserId): Promise<ReceivedForm> {
    const received = await form(ctx, field, sender);
    if (isRefused(received)) throw received.reason === 'payload_too_large' ? tooLong(most) : busy(received);
    if ('path' in received) return received;
    throw new Failure('validation_error', { fields: { [field]: [missing] } });
  }

  return {
    most,
    form,

    async body(ctx, mediaType, field, sender) {
      if (ctx.request.is('multipart/form-data')) return await sentForm(ctx, field, sender);
      if (ctx.request.is(mediaType) === false || !/^(?:|utf-?8)$/i.test(ctx.request.charset)) {
        throw new Failure('unsupported_media_type', { detail: `The request body must be ${mediaType} in UTF-8.` });
      }
      if ((ctx.request.length ?? 0) > most) throw tooLong(most);
      const refused = takePlace(sender);
      if (refused !== undefined) throw busy(refused);
      const path = join(staging, randomUUID());
      const discard = () => discardFiles([path], () => leavePlace(sender));
      try {
        return { path, sha256: await receive(ctx, path), fields: {}, discard };
      } catch (error) {
        await discard();
        throw asFailure(error);
      }
    },
  };

  /** Returns the SHA-256 of what was received. */
  async function receive(ctx: Context, path: string): Promise<string> {
    const hash = createHash('sha256');
    const file = await open(path, 'wx');
    try {
      await decompressed(ctx.req, async (body) => {
        let size = 0;
        // The request stays open, so that the client can read why it is refused.
        for await (const chunk of untilGone(ctx, body)) {
          size += chunk.length;
          if (size > most) throw tooLong(most);
          hash.update(chunk);
          await file.write(chunk);
        }
      });
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  }
}

/** A stream that decompresses a request does not notice by itself that the client has gone. */
async function* untilGone(ctx: Context, body: Readable): AsyncGenerator<Buffer> {
  const gone = clientGone(ctx.req.socket);
  gone.throwIfAborted();
  const stop = () => body.destroy(gone.reason);
  gone.addEventListener('abort', stop);
  try {
    yield* body.iterator({ destroyOnReturn: false });
  } finally {
    gone.removeEventListener('abort', stop);
  }
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  if (isDiskOutage(error)) return new Unavailable('Incoming files cannot be written at the moment.', { cause: error });
  return 'syscall' in error && error.syscall !== 'read'
    ? error
    : new Failure('bad_request', { detail: 'The request body could not be read.', cause: error });
}
