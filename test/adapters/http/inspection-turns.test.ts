import { expect } from 'chai';
import type { FileInspection, Inspected } from '../../../adapters/contracts/file-inspection.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import type { Abort } from '../../../core/abort.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { deferred } from '../../support/deferred.ts';
import { until } from '../../support/eventually.ts';
import { boundary, formOf, formRequest, listingForm, partHead } from '../../support/forms.ts';
import { dial } from '../../support/raw-http.ts';
import { itLong } from '../../support/required-service.ts';
import { zipOf } from '../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';

const uploadPath = '/api/marketplace/upload';

/** An inspection that ends when the test ends it. */
interface Held {
  readonly stop: Abort | undefined;
  readonly pass: () => void;
  readonly fail: (error: unknown) => void;
}

/** Makes every later inspection wait for the test. Returns those that have started. */
async function holdInspections(service: AccountService): Promise<Held[]> {
  const inspection: FileInspection = await service.parts.get(t.fileInspection);
  const held: Held[] = [];
  inspection.inspect = (_path, stop) => {
    const { promise, resolve, reject } = deferred<Inspected>();
    held.push({ stop, pass: () => resolve({ kind: 'zip', size: 1 }), fail: reject });
    return promise;
  };
  return held;
}

describe('inspections of uploads', () => {
  let service: AccountService;
  let zip: Buffer;
  let bombs: Account;
  let honest: Account;
  let held: Held[];
  beforeEach(async () => {
    service = await startAccountService();
    bombs = await service.account();
    honest = await service.account();
    zip = await zipOf();
    held = await holdInspections(service);
  });
  afterEach(() => service.close());

  const upload = (account: Account) => account.submit(uploadPath, formOf({ file: zip }));
  const staged = (count: number) => until(async () => (await service.files()).length === count);
  const dialUpload = (account: Account, headers: Record<string, string> = {}) => {
    const body = `${partHead('file', 'a.zip')}${zip.toString('latin1')}\r\n--${boundary}--\r\n`;
    return dial(
      service.url,
      formRequest(uploadPath, account.key, body, { 'Content-Length': String(body.length), ...headers }),
    );
  };
  /** Ends every inspection as soon as it starts. */
  const passAll = async (answers: Promise<unknown>) => {
    let isDone = false;
    void answers.finally(() => {
      isDone = true;
    });
    await until(() => {
      for (const { pass } of held) pass();
      return isDone;
    });
  };
  const expectNothingStored = async () => {
    expect(await service.files()).to.deep.equal([]);
    const tables = ['products', 'uploads', 'kept_files', 'idempotency'];
    expect(await Promise.all(tables.map(service.rows))).to.deep.equal([[], [], [], []]);
  };

  it('run one at a time for each account, so that no other account waits', async () => {
    const bad = Promise.all([upload(bombs), upload(bombs), upload(bombs)]);
    await staged(3);
    await until(() => held.length === 1);
    const good = upload(honest);
    await until(() => held.length === 2);
    held[1]?.pass();
    expect((await good).status).to.equal(200);
    expect(held).to.have.length(2);
    held[0]?.pass();
    await until(() => held.length === 3);
    expect(held).to.have.length(3);
    await passAll(bad);
    expect((await bad).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
  });

  itLong('check both files of a product in one turn', async () => {
    const published = bombs.submit('/api/marketplace/publish', listingForm());
    await until(() => held.length === 1);
    const next = upload(bombs);
    held[0]?.pass();
    await until(() => held.length === 2);
    await staged(3);
    expect(held).to.have.length(2);
    await passAll(Promise.all([published, next]));
    expect((await published).body.error.fields).to.have.all.keys('thumbnail'); // The fake says that it is a zip.
    expect((await next).status).to.equal(200);
  });

  itLong(
    'of one account are refused with 503 and Retry-After if there are 21 already, and no temporary file is left',
    async () => {
      const all = Array.from({ length: 23 }, () => upload(bombs));
      const first = await Promise.race(all);
      expect(first.status).to.equal(503);
      expect(first.body.error.code).to.equal('SERVICE_UNAVAILABLE');
      expect(first.headers.get('retry-after')).to.equal('1');
      await staged(21);
      const good = upload(honest);
      await until(() => held.length === 2);
      held[1]?.pass();
      expect((await good).status).to.equal(200);
      await passAll(Promise.all(all));
      const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([...Array(21).fill(200), 503, 503]);
      expect((await service.files()).filter((file) => file.startsWith('tmp/'))).to.deep.equal([]);
      expect(await service.rows('uploads')).to.have.length(22);
    },
  );

  itLong('need a place before anything is received: an account can have 21 uploads, finished or not', async () => {
    const body = `${partHead('file', 'a.zip')}unfinished`;
    const request = formRequest(uploadPath, bombs.key, body, { 'Content-Length': '1000000' });
    const unfinished = await Promise.all(Array.from({ length: 21 }, () => dial(service.url, request)));
    await staged(21);
    const { status, headers } = await upload(bombs);
    expect([status, headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(await service.files()).to.have.length(21);
    const good = upload(honest);
    await until(() => held.length === 1);
    held[0]?.pass();
    expect((await good).status).to.equal(200);
    for (const socket of unfinished) socket.destroy();
    await staged(1);
    // A place becomes free just after its file is deleted.
    const next = until(async () => (await upload(bombs)).status === 200);
    await passAll(next);
    await next;
  });

  itLong('keep their place until their files are deleted', async () => {
    const marketplace = await service.parts.get(t.marketplace);
    const { promise: stored, resolve: store } = deferred<void>();
    const before = marketplace.upload;
    marketplace.upload = async (...all) => {
      await stored;
      return await before(...all);
    };
    const all = Array.from({ length: 22 }, () => upload(bombs));
    const answered = passAll(Promise.all(all));
    expect((await Promise.race(all)).status).to.equal(503);
    await staged(21);
    store();
    await answered;
    const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(21).fill(200), 503]);
  });

  itLong('are refused with 503 and Retry-After if too much work is waiting, and nothing is stored', async () => {
    const answer = bombs.submit('/api/marketplace/publish', listingForm(), { 'Idempotency-Key': 'once' });
    await until(() => held.length === 1);
    held[0]?.fail(new Unavailable('Too much work is waiting.'));
    const { status, headers, body } = await answer;
    expect([status, headers.get('retry-after'), body.error.code]).to.deep.equal([503, '1', 'SERVICE_UNAVAILABLE']);
    await expectNothingStored();
  });

  itLong(
    'end if the client disconnects: waiting ones at once, a running one by its abort signal; nothing is stored',
    async () => {
      const running = await dialUpload(bombs, { 'Idempotency-Key': 'one' });
      await until(() => held.length === 1);
      const waiting = await Promise.all(Array.from({ length: 6 }, () => dialUpload(bombs)));
      await staged(7);
      for (const socket of waiting) socket.destroy();
      await staged(1);
      expect(held).to.have.length(1);
      const aborted = new Promise<void>((resolve) => held[0]?.stop?.addEventListener('abort', resolve));
      running.destroy();
      await aborted;
      held[0]?.fail(held[0].stop?.reason);
      await staged(0);
      await expectNothingStored();
      const next = upload(bombs);
      await until(() => held.length === 2);
      held[1]?.pass();
      expect((await next).status).to.equal(200);
    },
  );

  itLong('end without a stored file if the client disconnects just before the inspection is done', async () => {
    const socket = await dialUpload(bombs, { 'Idempotency-Key': 'one' });
    await until(() => held.length === 1);
    const aborted = new Promise<void>((resolve) => held[0]?.stop?.addEventListener('abort', resolve));
    socket.destroy();
    await aborted;
    held[0]?.pass();
    await staged(0);
    await expectNothingStored();
  });
});
