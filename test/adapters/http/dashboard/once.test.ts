import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createOnce, newFormId } from '../../../../adapters/http/dashboard/kit/once.ts';
import { createManualClock } from '../../../../adapters/node/manual-clock.ts';
import type { KeyedRequest } from '../../../../core/events/event.ts';
import { OutcomeUnknown } from '../../../../core/outcome-unknown.ts';
import { refuse } from '../../../../core/refusal.ts';
import { Repeatable, Unavailable } from '../../../../core/unavailable.ts';
import { addUser } from '../../../support/backends.ts';
import { openStoresInMemory, type StoresInMemory } from '../../../support/in-memory.ts';

describe('a form that is carried out once', () => {
  let stores: StoresInMemory;
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  before(async () => {
    stores = await openStoresInMemory();
  });
  after(() => stores.close());

  const done = { is: 'done' };
  const send = (id: string, work: (request: KeyedRequest) => Promise<object>, form = '1:test') =>
    createOnce(stores.idempotency, clock)(form, id, work).catch((error: unknown) => error);

  it('is refused for a day from the second time on', async () => {
    const id = newFormId();
    expect(await send(id, async () => done)).to.equal(done);
    clock.advance(24 * 3_600_000);
    expect(await send(id, async () => done)).to.equal('already_sent');
    clock.advance(1);
    expect(await send(id, async () => done)).to.equal(done);
  });

  it('is independent of the forms of other users and of other forms', async () => {
    const id = newFormId();
    expect(await send(id, async () => done, '1:test')).to.equal(done);
    expect(await send(id, async () => done, '2:test')).to.equal(done);
    expect(await send(id, async () => done, '1:other')).to.equal(done);
  });

  it('may be sent again after a refusal, and after an error that changed nothing', async () => {
    const id = newFormId();
    const [refused, error] = [refuse('too_many'), new Error('no database')];
    expect(await send(id, async () => refused)).to.equal(refused);
    expect(await send(id, () => Promise.reject(error))).to.equal(error);
    expect(await send(id, async () => done)).to.equal(done);
  });

  it('counts as sent if the work failed after a change, unless a repeat completes it or the work refused', async () => {
    const { id: userId } = await addUser(stores, 'Ada');
    const mark = async (request: KeyedRequest) => {
      await stores.uploads.add({
        userId,
        isLive: true,
        key: randomUUID(),
        size: 1,
        at: clock.now(),
        request,
      });
    };
    const id = newFormId();
    const repeatable = new Repeatable('no answer');
    const ends = [
      () => refuse('too_many'),
      () => Promise.reject(repeatable),
      () => Promise.reject(new Unavailable('down')),
    ];
    for (const end of ends) {
      const first = await send(id, async (request) => {
        await mark(request);
        return await end();
      });
      expect(first).not.to.equal('already_sent');
    }
    expect(await send(id, async () => done)).to.equal('already_sent');
  });

  it('counts as sent while the work runs, and if it is unknown whether the work was done', async () => {
    const id = newFormId();
    let second: unknown;
    const error = new OutcomeUnknown('the connection was cut');
    const first = await send(id, async () => {
      second = await send(id, async () => done);
      throw error;
    });
    expect([first, second]).to.deep.equal([error, 'already_sent']);
    expect(await send(id, async () => done)).to.equal('already_sent');
  });
});
