import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ExportingSystem, exportForms } from '../../core/licensing/alias.ts';
import { lineNameOf } from '../../core/selling/foreign-export.ts';
import { queryOf } from '../sdk/account/client.ts';
import type { AnswerOf } from '../sdk/account/types.ts';
import { rest } from './acting.ts';
import { type Api, readWait, refusalOf, userAgent } from './api.ts';
import { barOf, inBytes, note, startStatus } from './output.ts';
import { pauseAfter } from './pace.ts';
import { Stop } from './stop.ts';
import { counting, formAround, post } from './transfer.ts';

const path = '/api/licenses/import';
/** For so long the command tries to reach a server that it has lost, in milliseconds. */
const patience = 10 * 60_000;
/** The longest pause between two of these tries, in milliseconds. */
const longestPause = 30_000;
/** The shortest of them, in milliseconds. */
const soon = 1_000;
/** How often the file is sent at most. */
const mostSends = 5;
/** For so long it waits for the answer after the import has ended, before it sends the request again. */
const answerSoon = 10_000;

/** How far the import is at the server. `undefined`: nothing was imported with this key. */
type State = AnswerOf<typeof path, 'get'> | undefined;
export type Imported = AnswerOf<typeof path, 'post'>;

/** What the file is, and whether it is only checked. */
export interface ImportAs {
  readonly from?: ExportingSystem | undefined;
  readonly product?: string | undefined;
  readonly theirProduct?: string | undefined;
  /** Which product here each product there is, one on a line. */
  readonly map?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

interface Source {
  readonly size: number;
  readonly key: string;
  readonly as: ImportAs;
  open(): AsyncIterable<Buffer>;
  /** Deletes what was kept of standard input. */
  discard(): Promise<void>;
}

/**
 * Reads `-` from standard input, until `stop`. The key comes from the content and from how it is read, unless one is given: so the same file
 * has the same one.
 */
export async function sourceOf(
  file: string,
  givenKey: string | undefined,
  as: ImportAs,
  stop: AbortSignal,
): Promise<Source> {
  const hash = createHash('sha256');
  if (as.from !== undefined)
    hash.update(JSON.stringify([as.from, as.product, as.theirProduct, ...(as.map === undefined ? [] : [as.map])]));
  const keyed = () => givenKey ?? `file-${hash.digest('hex')}`;
  const kept = file === '-' ? await keepInput(stop) : { path: file, discard: async () => undefined };
  try {
    const { size } = await stat(kept.path);
    for await (const chunk of createReadStream(kept.path)) hash.update(chunk);
    return { size, key: keyed(), as, open: () => createReadStream(kept.path), discard: kept.discard };
  } catch (error) {
    await kept.discard();
    throw error;
  }
}

/** Writes standard input to a file, because the same bytes may have to be sent again. */
async function keepInput(stop: AbortSignal): Promise<{ readonly path: string; discard(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-import-'));
  const path = join(folder, 'input');
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: stop });
    return { path, discard };
  } catch (error) {
    await discard();
    throw stop.aborted ? notArrived() : error;
  }
}

/**
 * Imports a file. Shows how far it is, and goes on after a lost connection or a restart of the server: the key makes sure
 * that nothing is imported twice. After `interrupt` it says what the server does.
 */
export async function importLicenses(api: Api, source: Source, interrupt: AbortSignal): Promise<Imported> {
  const status = startStatus();
  let hasArrived = false;
  try {
    for (let sends = 1; ; sends++) {
      try {
        return await sendOnce(api, source, interrupt, {
          sent(done) {
            hasArrived ||= done >= source.size;
            const uploading = `Uploading${barOf(done, source.size)} ${inBytes(done)}`;
            status.show(hasArrived ? describe(undefined) : uploading);
          },
          is: (state) => status.show(describe(state)),
        });
      } catch (error) {
        if (interrupt.aborted) break;
        if (!(error instanceof Stop) || !hasArrived || !mayGoOn(error) || sends === mostSends) throw error;
        const ended = await followed(api, source.key, error, interrupt, status);
        if (ended !== undefined) return ended;
        await rest(error.wait ?? soon, interrupt);
        if (interrupt.aborted) break;
      }
    }
  } finally {
    status.end();
  }
  throw await interrupted(api, source.key, hasArrived);
}

/** Sends the file, and asks how far it is until the answer comes. */
async function sendOnce(
  { server, key, origin, ...api }: Api,
  source: Source,
  interrupt: AbortSignal,
  tell: { sent(bytes: number): void; is(state: State): void },
): Promise<Imported> {
  const { from, product, theirProduct, map, dryRun } = source.as;
  const dry_run = dryRun === true ? 'true' : undefined;
  const query = queryOf({ from, product, their_product: theirProduct, dry_run });
  const type = from !== undefined && exportForms[from] === 'json' ? 'application/json' : 'text/csv';
  // A map can be too long for an address.
  const body = map === undefined ? { type, before: '', after: '' } : formAround({ map }, 'file', type);
  const edges = Buffer.byteLength(body.before + body.after);
  const headers = {
    'User-Agent': userAgent,
    Accept: 'application/json',
    'X-API-Key': key,
    'Content-Type': body.type,
    'Content-Length': source.size + edges,
    'Idempotency-Key': source.key,
  };
  const calling = new AbortController();
  const stop = () => calling.abort();
  interrupt.addEventListener('abort', stop);
  let isWhole = source.size === 0;
  const counter = counting((done) => {
    isWhole ||= done >= source.size + edges;
    tell.sent(isWhole ? source.size : Math.min(done, source.size - 1));
  });
  const watching = watch();
  try {
    const answer = await post(new URL(`${path}${query}`, server), headers, around(source.open(), body), counter, {
      stop: calling.signal,
    });
    if (answer.status !== 200) {
      const wait = readWait(answer.headers['retry-after']);
      throw refusalOf({ server, origin }, answer.status, answer.text, wait, lineNameOf(from));
    }
    if (answer.headers['idempotency-replayed'] !== undefined) {
      note(
        'This file was imported before, in the last 24 hours. Nothing was added now. To add its lines once more, use --idempotency-key.',
      );
    }
    return JSON.parse(answer.text);
  } finally {
    interrupt.removeEventListener('abort', stop);
    calling.abort();
    await watching;
  }

  async function watch(): Promise<void> {
    for (;;) {
      await rest(pauseAfter(api.rateLimit(), 0), calling.signal);
      if (calling.signal.aborted) return;
      if (!isWhole) continue;
      // If this fails, the call itself fails too, or its answer comes.
      const state = await stateOf(api, source.key).catch(() => undefined);
      if (calling.signal.aborted) return;
      if (state !== undefined) tell.is(state);
      // The connection of the call may be lost without a sign of it.
      if (state?.state === 'done') {
        await rest(answerSoon, calling.signal);
        return calling.abort();
      }
    }
  }
}

async function* around(
  file: AsyncIterable<Buffer>,
  { before, after }: { readonly before: string; readonly after: string },
): AsyncGenerator<Buffer> {
  if (before !== '') yield Buffer.from(before);
  yield* file;
  if (after !== '') yield Buffer.from(after);
}

/** Whether the server may go on with the import after this failure: the connection broke, or the first request runs. */
function mayGoOn({ exit, details }: Stop): boolean {
  return exit === 'failed' || details.code === 'CONFLICT';
}

/** Asks until the import has ended. Returns its answer, or `undefined` if the file must be sent again. */
async function followed(
  api: Api,
  key: string,
  failure: Stop,
  interrupt: AbortSignal,
  status: ReturnType<typeof startStatus>,
): Promise<Imported | undefined> {
  let lostAt = performance.now();
  let pause = soon;
  for (let isFirst = true; !interrupt.aborted; isFirst = false) {
    try {
      const state = await stateOf(api, key);
      lostAt = performance.now();
      pause = soon;
      // Another import is running, and no other request has this key.
      if (state === undefined && isFirst && failure.details.code === 'CONFLICT') throw failure;
      if (state === undefined) return undefined;
      const { state: is, imported, left_out, passed_over } = state;
      if (is === 'done') return { success: true, imported, left_out, passed_over };
      if (is === 'unknown') throw failure;
      status.show(describe(state));
      await rest(pauseAfter(api.rateLimit(), 0), interrupt);
    } catch (error) {
      if (error === failure || !(error instanceof Stop) || error.exit !== 'failed') throw error;
      if (performance.now() - lostAt > patience) throw resumable(error);
      status.end();
      if (isFirst) note(`${error.message} Trying again.`);
      await rest(error.wait ?? pause, interrupt);
      pause = Math.min(2 * pause, longestPause);
    }
  }
  return undefined;
}

async function stateOf({ get }: Pick<Api, 'get'>, key: string): Promise<State> {
  return await get(path, { query: { idempotency_key: key } }).catch((error: unknown) => {
    if (error instanceof Stop && error.details.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

const again = 'Run the same command again: it goes on, and imports nothing twice.';

function resumable({ message, wait }: Stop): Stop {
  return new Stop('failed', message, `The server may go on with the import. ${again}`, wait);
}

function notArrived(): Stop {
  return new Stop('failed', 'Interrupted. The file has not arrived, and nothing was imported.');
}

/** What the person is told after Ctrl+C. */
async function interrupted(api: Api, key: string, hasArrived: boolean): Promise<Stop> {
  if (!hasArrived) return notArrived();
  const state = await stateOf(api, key).catch(() => 'lost' as const);
  if (state === undefined) return notArrived();
  if (state === 'lost') return resumable(new Stop('failed', 'Interrupted. The server does not answer.'));
  if (state.state === 'done') return new Stop('failed', `Interrupted. ${describe(state)}.`, again);
  return new Stop('failed', `Interrupted. The server goes on: ${describe(state)}.`, again);
}

function describe(state: State): string {
  if (state === undefined) return 'Waiting for the server';
  const { state: is, lines, imported } = state;
  if (is === 'checking') return `Checked ${lines} lines`;
  if (is === 'adding') return `Added ${imported} of ${lines} licenses${barOf(imported, lines)}`;
  return is === 'done' ? `All ${imported} licenses were added` : 'It is unknown how the import ended';
}
