import { expect } from 'chai';
import { record } from '../../adapters/sql/stores/audit-log.ts';
import { cleanFiles, housekeeping, startJobs } from '../../apps/server/jobs.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { UsageMeter } from '../../core/accounts/usage-meter.ts';
import { event } from '../../core/events/event.ts';
import { startAccountService } from '../adapters/http/account/account-service.ts';
import { by, operator } from '../support/by.ts';
import { must } from '../support/license-acts.ts';
import { addForSale } from '../support/orders.ts';
import { placeOrder } from '../support/placed-orders.ts';
import { itLong } from '../support/required-service.ts';
import { addEndpoint, addSamples } from '../support/webhooks.ts';

const day = 24 * 3_600_000;

describe('housekeeping', () => {
  itLong('keeps the zip of a replaced template until every link to it has expired, and then deletes it', async () => {
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

  itLong('deletes numbers of calls that are older than 400 days', async () => {
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
    await (await startJobs(service.parts, housekeeping))();
    expect(await calls()).to.have.lengthOf(2);
    service.clock.advance(day);
    await (await startJobs(service.parts, housekeeping))();
    expect((await calls()).map((row) => row.day)).to.deep.equal(['2027-02-05']);
  });

  itLong('deletes events of webhooks with their deliveries after 14 days', async () => {
    await using service = await startAccountService();
    const { user } = await service.account();
    const webhooks = await service.parts.get(t.webhookStore);
    const endpoint = await addEndpoint({ webhooks }, user.id);
    const send = () => addSamples({ webhooks }, endpoint, 1, service.clock.now());
    const [old] = await send();
    service.clock.advance(14 * day);
    const [young] = await send();
    await (await startJobs(service.parts, housekeeping))();
    expect(await service.rows('webhook_deliveries')).to.have.lengthOf(2);
    service.clock.advance(1);
    await (await startJobs(service.parts, housekeeping))();
    expect((await service.rows('webhook_deliveries')).map(({ id }) => id)).to.deep.equal([young?.id]);
    expect(await service.rows('webhook_events')).to.have.lengthOf(1);
    expect(await webhooks.findDelivery(must(old).id)).to.equal(undefined);
  });

  itLong(
    'deletes an order 30 days after it ended without a payment, and nothing of an order that was paid',
    async () => {
      await using service = await startAccountService({ PAYMENTS_URL: 'test:demo' });
      const product = await addForSale({ products: await service.parts.get(t.productStore) });
      const paid = await placeOrder(service.parts, product.slug);
      const unpaid = await placeOrder(service.parts, product.slug, { email: 'nobody@example.com', isPaid: false });
      service.clock.advance(day);
      await (await service.parts.get(t.settleOrder))(unpaid.id);
      const ids = async () => (await service.rows('orders')).map(({ id }) => id);
      service.clock.advance(30 * day);
      await (await startJobs(service.parts, housekeeping))();
      expect(await ids()).to.deep.equal([paid.id, unpaid.id]);
      service.clock.advance(1);
      await (await startJobs(service.parts, housekeeping))();
      expect(await ids()).to.deep.equal([paid.id]);
      const subjects = (await service.rows('audit_log')).map(({ subject }) => subject);
      expect(subjects).to.include(String(paid.id)).and.not.include(String(unpaid.id));
    },
  );

  itLong('keeps events and deployments as long as the settings say', async () => {
    for (const [days, left] of [
      ['400', [0, 0]],
      ['401', [1, 1]],
      ['forever', [1, 1]],
    ] as const) {
      await using service = await startAccountService({ AUDIT_RETENTION: days, DEPLOYMENT_RETENTION: days });
      const { user } = await service.account();
      await service.database.write(async (trx) => {
        await trx('audit_log').delete();
        await record(trx, [event('user.renamed', 'x', by, service.clock.now())]);
      });
      const deployment = {
        ...{ userId: user.id, isLive: true, chain: 'base', chainId: 8453, at: service.clock.now() },
        ...{ address: '0x1', txHash: '0x2', templateReference: null, templateId: null },
      };
      await (await service.parts.get(t.deploymentLog)).add(deployment, false);
      service.clock.advance(400 * day + 1);
      await (await startJobs(service.parts, housekeeping))();
      expect([(await service.rows('audit_log')).length, (await service.rows('deployments')).length]).to.deep.equal(
        left,
      );
    }
  });

  itLong('deletes old events of webhooks even if unused listeners cannot be removed', async () => {
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
    await (await startJobs(service.parts, housekeeping))();
    expect(await service.rows('webhook_endpoints')).to.have.lengthOf(1);
    expect(await service.rows('webhook_events')).to.deep.equal([]);
  });
});
