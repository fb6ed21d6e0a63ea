import { readdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import type { Database } from '../../adapters/sql/database.ts';
import { openService } from '../../apps/server/open-service.ts';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig, type variables } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Accounts, KeyTerms } from '../../core/accounts/accounts.ts';
import type { KeyMode } from '../../core/accounts/api-key.ts';
import type { Tier } from '../../core/accounts/tier.ts';
import type { User } from '../../core/accounts/user.ts';
import type { MarketplaceAdministration } from '../../core/marketplace/marketplace.ts';
import { isRefused } from '../../core/refusal.ts';
import type { Template } from '../../core/templates/template.ts';
import type { TemplateAdministration } from '../../core/templates/templates.ts';
import { type Row, rowsOf } from '../support/in-memory.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type Answer, by } from './support.ts';

/** An account holder with one API key, who calls over HTTP. */
export interface Account {
  readonly user: User;
  readonly key: string;
  readonly keyId: number;
  send(path: string, init?: RequestInit): Promise<Answer>;
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Posts a form. */
  submit(path: string, form: FormData, headers?: Record<string, string>): Promise<Answer>;
}

/** A service in memory whose parts, tables and files tests look into. */
export interface AccountService extends AsyncDisposable {
  readonly url: string;
  readonly clock: ManualClock;
  readonly parts: Parts;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly products: MarketplaceAdministration;
  readonly templates: TemplateAdministration;
  send(path: string, init?: RequestInit): Promise<Answer>;
  /** A new user with a key. */
  account(tier?: Tier, mode?: KeyMode): Promise<Account>;
  /** Another key of a user. */
  keyOf(user: User, terms?: Partial<KeyTerms>): Promise<Account>;
  template(more?: Partial<Template>): Promise<Template>;
  /** All rows of a table, in the order in which they were added. */
  rows(table: string): Promise<Row[]>;
  /** What lies in the files folder, half-received files included. */
  files(): Promise<string[]>;
  close(): Promise<void>;
}

/** Nothing is limited unless the settings say so. `folder` is where the files are put inside a folder of the test's own. */
export async function startAccountService(
  settings: { readonly [Name in keyof typeof variables]?: string } = {},
  folder = 'files',
): Promise<AccountService> {
  const home = await makeTemporaryFolder();
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const wanted = readConfig({
    LOG_LEVEL: 'silent',
    RATE_LIMIT_URL: 'off:',
    ...settings,
    DATABASE_URL: 'memory:',
    FILES_URL: `disk:${home.file(folder)}`,
    PORT: '0',
  });
  const service = await openService(wanted, (config) => compose(config, { clock }), 'localhost').catch(
    async (error) => {
      await home.remove();
      throw error;
    },
  );
  const { parts } = service;
  const url = `http://localhost:${service.port}`;
  const [accounts, templates, disk, database] = [
    await parts.get(t.accounts),
    await parts.get(t.templateAdministration),
    await parts.get(t.disk),
    await parts.get(t.database),
  ];
  const send = (path: string, init?: RequestInit) => call(url + path, init);
  let users = 0;

  async function keyOf(user: User, terms: Partial<KeyTerms> = {}): Promise<Account> {
    const made = await accounts.createKey(user.email, { name: 'test', mode: 'live', expiresAt: null, ...terms }, by);
    if (isRefused(made)) throw new Error(made.reason);
    const { secret: key } = made;
    const sendWith = (path: string, init: RequestInit = {}) =>
      send(path, { ...init, headers: { 'X-API-Key': key, ...(init.headers as Record<string, string>) } });
    return {
      user,
      key,
      keyId: made.key.id,
      send: sendWith,
      get: (path, query = {}) => sendWith(`${path}?${new URLSearchParams(query)}`),
      post: (path, body, headers = {}) =>
        sendWith(path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      submit: (path, form, headers = {}) => sendWith(path, { method: 'POST', headers, body: form }),
    };
  }

  const close = async () => {
    await service.close(0);
    await home.remove();
  };
  return {
    url,
    clock,
    parts,
    accounts,
    templates,
    database,
    products: await parts.get(t.products),
    send,
    keyOf,
    async account(tier = 'free', mode = 'live') {
      users++;
      const user = await accounts.add({ name: `User ${users}`, email: `user${users}@example.com`, tier }, by);
      if (isRefused(user)) throw new Error(user.reason);
      return keyOf(user, { mode });
    },
    async template(more = {}) {
      const number = (await templates.list()).length + 1;
      const zip = `templates/${number}.zip`;
      const path = join(disk.staging, `template-${number}`);
      await writeFile(path, await zipOf({ 'README.md': `Template ${number}` }));
      await disk.put(zip, path);
      const template = await templates.add(
        {
          slug: `template-${number}`,
          title: `Template ${number}`,
          description: 'A template.',
          category: 'defi-dex',
          tier: 'free',
          tags: [],
          parameters: [],
          zip,
          ...more,
        },
        by,
      );
      if (isRefused(template)) throw new Error(template.reason);
      return template;
    },
    rows: (table) => rowsOf(database, table),
    async files() {
      const entries = await readdir(home.file(folder), { recursive: true, withFileTypes: true });
      const root = home.file(folder);
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function call(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** A zip with a few small files. Entries are dated the same, so the same entries give the same bytes. */
export async function zipOf(
  entries: Readonly<Record<string, string | Buffer>> = { 'contracts/Token.sol': 'contract Token {}' },
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) {
    zip.addBuffer(Buffer.from(content), name, { mtime: new Date(Date.UTC(2026, 0, 1)) });
  }
  zip.end();
  return await buffer(zip.outputStream);
}

/** A zip whose one entry leads out of the folder that it is unpacked in. */
export async function climbingZip(): Promise<Buffer> {
  const innocent = await zipOf({ 'aa/evil.txt': 'evil' });
  return Buffer.from(innocent.toString('latin1').replaceAll('aa/evil.txt', '../evil.txt'), 'latin1');
}

/** A few kilobytes that unpack to more than a thousand times as much. */
export async function zipBomb(): Promise<Buffer> {
  return await zipOf({ zeros: Buffer.alloc(8 * 1024 * 1024) });
}

/** A white PNG image, with a comment of so many bytes. One of more than a million pixels has the data of a single one. */
export function pngOf(width = 1, height = 1, comment = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const isLarge = width * height > 1_000_000;
  const row = Buffer.alloc(1 + (isLarge ? 1 : width), 255);
  row[0] = 0;
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(comment > 0 ? [chunk('tEXt', Buffer.alloc(comment, 'x'))] : []),
    chunk('IDAT', deflateSync(Buffer.concat(Array<Buffer>(isLarge ? 1 : height).fill(row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The least that is told to be a JPG image of 1 x 1. */
export function jpgOf(): Buffer {
  return Buffer.from('ffd8ffc0000b080001000101011100ffda0008010100003f0000ffd9', 'hex');
}

/** What a field of a form holds: a text or a file. */
type Value = string | Uint8Array | { readonly bytes: Uint8Array; readonly filename: string };
/** One value, or several under one name. */
export type Part = Value | readonly Value[];

export function formOf(parts: Readonly<Record<string, Part | undefined>>): FormData {
  const form = new FormData();
  for (const [name, part = []] of Object.entries(parts)) {
    for (const value of isSeveral(part) ? part : [part]) {
      if (typeof value === 'string') form.append(name, value);
      else if (value instanceof Uint8Array) form.append(name, new Blob([new Uint8Array(value)]), 'file.bin');
      else form.append(name, new Blob([new Uint8Array(value.bytes)]), value.filename);
    }
  }
  return form;
}

function isSeveral(part: Part): part is readonly Value[] {
  return Array.isArray(part);
}

const sampleZip = await zipOf();

/** A form that publish takes, with other parts where they are given. */
export function listingForm(parts: Readonly<Record<string, Part | undefined>> = {}): FormData {
  return formOf({
    module: 'token',
    title: 'Token Launcher',
    tagline: 'Launch a token',
    description: 'Launches a token in a minute, on any chain.',
    price: '49.90',
    product_zip: sampleZip,
    thumbnail: pngOf(),
    ...parts,
  });
}

export const boundary = 'latchkey-boundary';

/** The head of a request with a form, and the bytes of its parts as they are, right or wrong. */
export function formRequest(
  path: string,
  key: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): string {
  const all = {
    Host: 'localhost',
    'X-API-Key': key,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** One part of a form, as it is sent; without its content and end where that is still to come. */
export function partHead(name: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
}

/** Connects, sends bytes (as latin1), and leaves the connection open. */
export function dial(url: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1', () => resolve(socket)));
    socket.on('error', reject);
  });
}

/** Sends bytes (as latin1) with `Connection: close`, and answers all that comes back. */
export async function raw(url: string, bytes: string): Promise<string> {
  const socket = await dial(url, bytes.replace('\r\n', '\r\nConnection: close\r\n'));
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

/** Resolves as soon as it holds; that it never does shows as the test's timeout. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await nextTurn();
}
