import { expect } from 'chai';
import { keepDelivering } from '../../apps/server/queues.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { addUser } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';
import { itLong } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { hangs, startReceiver } from '../support/webhook-receiver.ts';
import { addEndpoint, noted, sampleEvent } from '../support/webhooks.ts';

const memory = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
const local = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' };
const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
const open = (settings: Record<string, string>) => compose(readConfig(settings));
type Service = Awaited<ReturnType<typeof open>>;

async function addHook(parts: Service, url: string) {
  const secret = (await parts.get(t.secretBox)).seal('whsec_AAAA');
  const owner = await addUser({ accounts: await parts.get(t.accountStore) }, 'Ada');
  return await addEndpoint({ webhooks: await parts.get(t.webhookStore) }, owner.id, { url, secret, oldSecret: null });
}
async function addEvent(parts: Service, { id, ownerId }: Awaited<ReturnType<typeof addHook>>) {
  const now = Date.now();
  return await (await parts.get(t.webhookStore)).addSample(id, sampleEvent(ownerId, now), noted(now));
}

describe('a server that delivers webhooks', () => {
  itLong('sends an event when a change of it has been committed, and counts it', async () => {
    await using receiver = await startReceiver();
    const parts = await open({ ...memory, ...local });
    const end = await keepDelivering(parts);
    const hook = await addHook(parts, `http://127.0.0.1:${receiver.port}/`);
    await addEvent(parts, hook);
    await eventually('it arrives', () => receiver.received.length === 1);
    await end();
    const text = await (await parts.get(t.registry)).metrics();
    expect(text).to.include('latchkey_webhook_attempts_total{outcome="delivered"} 1\n');
    expect(text).to.include('latchkey_webhook_queue_depth 0\n');
    await parts.close();
  });

  itLong('sends nothing to an address inside, if the settings do not permit it', async () => {
    await using receiver = await startReceiver();
    const parts = await open({ ...memory, WEBHOOK_ALLOW_HTTP: 'true' });
    const end = await keepDelivering(parts);
    const id = await addEvent(parts, await addHook(parts, `http://127.0.0.1:${receiver.port}/`));
    const webhooks = await parts.get(t.webhookStore);
    await eventually('it was tried', async () => (await webhooks.findDelivery(id))?.fault === 'blocked_address');
    expect(receiver.connections()).to.equal(0);
    await end();
    await parts.close();
  });

  itLong('breaks off attempts that do not end when it stops, and counts them as never made', async () => {
    await using receiver = await startReceiver(hangs);
    const parts = await open({ ...memory, ...local });
    const end = await keepDelivering(parts);
    const id = await addEvent(parts, await addHook(parts, `http://127.0.0.1:${receiver.port}/`));
    await eventually('it arrives', () => receiver.received.length === 1);
    await end();
    const webhooks = await parts.get(t.webhookStore);
    expect(await webhooks.findDelivery(id)).to.include({ state: 'waiting', attempts: 0 });
    const now = Date.now();
    const turns = await (await parts.get(t.webhookQueue)).claim({ now, until: now + 1, most: 1 });
    expect(turns).to.have.lengthOf(1);
    await parts.close();
  });

  itLong('signs with the same secrets after a new SECRET_KEY, if it knows the former one', async () => {
    const folder = await makeTemporaryFolder();
    const settings = {
      ...local,
      DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`,
      FILES_URL: `disk:${folder.file('files')}`,
      LOG_LEVEL: 'silent',
    };
    await using receiver = await startReceiver();
    const before = await open({ ...settings, SECRET_KEY: first });
    const hook = await addHook(before, `http://127.0.0.1:${receiver.port}/`);
    await addEvent(before, hook);
    await before.close();
    const after = await open({ ...settings, SECRET_KEY: second, SECRET_KEY_FORMER: first });
    const end = await keepDelivering(after);
    await eventually('it arrives', () => receiver.received.length === 1);
    expect(receiver.received[0]?.headers['webhook-signature']).to.match(/^v1,\S+$/);
    await end();
    await after.close();
    await folder.remove();
  });
});
