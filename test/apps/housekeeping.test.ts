import { expect } from 'chai';
import { cleanFiles, keepHouse } from '../../apps/server/housekeeping.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { UsageMeter } from '../../core/accounts/usage-meter.ts';
import { startAccountService } from '../http/account-service.ts';
import { operator } from '../support/by.ts';
import { must } from '../support/license-acts.ts';
import { addEndpoint, addSamples } from '../support/webhooks.ts';

const day = 24 * 3_600_000;

describe('housekeeping', () => {
  it('keeps the zip of a replaced template until every link to it has expired, and then deletes it', async () => {
    await using service = await startAccountService({ DOWNLOAD_LINK_LIFETIME: String((7 * day) / 1_000) });
    const { url, clock } = service;
    const account = await service.account();
    const old = await service.template();
    const next = await service.template();
    clock.advance(30 * day);
    const clean = () => cleanFiles(service.parts);
    await clean();

    const { body } = await account.get(`/api/templates/${old.slug}/download`);
    const link = String(body.url);
    expect(link.startsWith(url)).to.equal(true);
    await service.templates.update(old.slug, { zip: next.zip }, operator);
    for (let days = 0; days < 7; days++) {
      await clean();
      expect((await fetch(link)).status).to.equal(200);
      clock.advance(day);
    }
    expect(await service.files()).to.deep.equal([old.zip, next.zip]);
    clock.advance(day);
    await clean();
    expect(await service.files()).to.deep.equal([next.zip]);
  });

  it('deletes numbers of calls that are older than 400 days', async () => {
    await using service = await startAccountService();
    const { user } = await service.account();
    const calls = async () => await service.rows('account_usage');
    const add = async (meter: UsageMeter) => {
      meter.count(user.id, false);
      await meter.save();
    };
    await add(await service.parts.get(t.usageMeter));
    service.clock.advance(400 * day);
    await add(await service.parts.get(t.usageMeter));
    await (await keepHouse(service.parts))();
    expect(await calls()).to.have.lengthOf(2);
    service.clock.advance(day);
    await (await keepHouse(service.parts))();
    expect((await calls()).map((row) => row.day)).to.deep.equal(['2027-02-05']);
  });

  it('deletes events of webhooks with their deliveries after 14 days', async () => {
    await using service = await startAccountService();
    const { user } = await service.account();
    const webhooks = await service.parts.get(t.webhookStore);
    const endpoint = await addEndpoint({ webhooks }, user.id);
    const send = () => addSamples({ webhooks }, endpoint, 1, service.clock.now());
    const [old] = await send();
    service.clock.advance(14 * day);
    const [young] = await send();
    await (await keepHouse(service.parts))();
    expect(await service.rows('webhook_deliveries')).to.have.lengthOf(2);
    service.clock.advance(1);
    await (await keepHouse(service.parts))();
    expect((await service.rows('webhook_deliveries')).map(({ id }) => id)).to.deep.equal([young?.id]);
    expect(await service.rows('webhook_events')).to.have.lengthOf(1);
    expect(await webhooks.findDelivery(must(old).id)).to.equal(undefined);
  });

  it('deletes old events of webhooks even if unused listeners cannot be removed', async () => {
    await using service = await startAccountService();
    const { user } = await service.account();
    const webhooks = await service.parts.get(t.webhookStore);
    const at = service.clock.now();
    const listener = await addEndpoint({ webhooks }, user.id, { url: null, createdAt: at });
    await addSamples({ webhooks }, listener, 1, at);
    await service.database.write((trx) =>
      trx.raw(
        `CREATE TRIGGER kept BEFORE DELETE ON webhook_endpoints BEGIN SELECT RAISE(ABORT, 'It cannot be removed.'); END`,
      ),
    );
    service.clock.advance(14 * day + 1);
    await (await keepHouse(service.parts))();
    expect(await service.rows('webhook_endpoints')).to.have.lengthOf(1);
    expect(await service.rows('webhook_events')).to.deep.equal([]);
  });
});
