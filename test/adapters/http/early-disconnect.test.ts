import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { createFileReceiver } from '../../../adapters/http/receive-file.ts';
import type { Context } from '../../../adapters/http/state.ts';
import { createFormReader } from '../../../adapters/http/upload.ts';
import { isRefused } from '../../../core/refusal.ts';
import { until } from '../../support/eventually.ts';
import { boundary, formOf, formRequest, partHead } from '../../support/forms.ts';
import { dial } from '../../support/raw-http.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const mostBytes = 1_000_000;
const csv = 'product\nsimple-dex\n';
const start = `${partHead('file', 'a.csv')}${csv}`;
const form = { unfinished: start, whole: `${start}\r\n--${boundary}--\r\n` };
const zipped = gzipSync(csv).toString('latin1');
const sheet = { 'Content-Type': 'text/csv' };

/** Reads the body of a request, and deletes what it has received. */
type Read = (ctx: Context) => Promise<void>;
type Headers = Readonly<Record<string, string>>;

/** Each reader, with the requests of clients that leave early and a good request. */
const readers: readonly {
  readonly name: string;
  readonly make: (folder: string) => Read;
  readonly early: Readonly<Record<string, readonly [string, Headers]>>;
  readonly good: RequestInit;
}[] = [
  {
    name: 'the reader of forms',
    make: (folder) => {
      const inspection = { inspect: async () => ({ kind: 'zip', size: 1 }) as const };
      const read = createFormReader(
        folder,
        inspection,
        { zip: mostBytes, image: mostBytes },
        { renew: async () => undefined },
      );
      return async (ctx) => {
        const { discard } = await read(ctx, { files: { file: { kinds: ['zip'], description: 'A zip.' } } });
        await discard();
      };
    },
    early: { 'unfinished form': [form.unfinished, {}], 'whole form': [form.whole, {}] },
    good: { body: formOf({ file: Buffer.from(csv) }) },
  },
  {
    name: 'the receiver of forms',
    make: (folder) => {
      const receiver = createFileReceiver(folder, mostBytes);
      return async (ctx) => {
        const received = await receiver.form(ctx, 'file', Number(ctx.get('X-Sender')) as never);
        if (isRefused(received)) throw new Error(received.reason);
        if ('discard' in received) await received.discard();
      };
    },
    early: { 'unfinished form': [form.unfinished, {}], 'whole form': [form.whole, {}] },
    good: { body: formOf({ file: Buffer.from(csv) }) },
  },
  {
    name: 'the receiver of bodies',
    make: (folder) => {
      const receiver = createFileReceiver(folder, mostBytes);
      return async (ctx) => {
        const received = await receiver.body(ctx, 'text/csv', 'file', Number(ctx.get('X-Sender')) as never);
        await received.discard();
      };
    },
    early: {
      'unfinished body': [csv, sheet],
      'unfinished gzip': [zipped.slice(0, 15), { ...sheet, 'Content-Encoding': 'gzip' }],
      'whole gzip': [zipped, { ...sheet, 'Content-Encoding': 'gzip' }],
    },
    good: { body: csv, headers: sheet },
  },
];

for (const { name, make, early, good } of readers) {
  describe(`${name}, if the client leaves before the reading begins`, () => {
    let folder: TemporaryFolder;
    let server: Server;
    let url: string;
    let arrived: number;
    let ended: number;
    beforeEach(async () => {
      folder = await makeTemporaryFolder();
      [arrived, ended] = [0, 0];
      const read = make(folder.path);
      const app = new Koa();
      app.silent = true;
      app.use(async (ctx) => {
        arrived += 1;
        if (ctx.path === '/early') await new Promise((resolve) => ctx.req.socket.once('close', resolve));
        try {
          await read(ctx as unknown as Context);
          ctx.body = 'received';
        } finally {
          ended += 1;
        }
      });
      server = createServer(app.callback()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await folder.remove();
    });

    for (const [title, [body, headers]] of Object.entries(early)) {
      itLong(`ends, and takes no place and no space (${title})`, async () => {
        const length = String(title.startsWith('whole') ? body.length : mostBytes);
        // More than any of them has places for.
        for (let sender = 1; sender <= 25; sender += 1) {
          const all = { 'X-Sender': String(sender), 'Content-Length': length, ...headers };
          const socket = await dial(url, formRequest('/early', 'key', body, all));
          await until(() => arrived === sender);
          socket.destroy();
          await until(() => ended === sender);
        }
        expect(await readdir(folder.path)).to.deep.equal([]);
        const answer = await fetch(url, { method: 'POST', ...good, headers: { 'X-Sender': '0', ...good.headers } });
        expect(await answer.text()).to.equal('received');
      });
    }
  });
}
