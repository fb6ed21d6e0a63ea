import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { confirmationLife } from '../../../../core/accounts/session.ts';
import { webhookBackOff } from '../../../../core/webhooks/delivery.ts';
import { endpointLimits } from '../../../../core/webhooks/endpoint.ts';
import { itLong } from '../../../support/required-service.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { arrived, refusedByReceiver } from '../../../support/webhook-attempts.ts';
import { startWebhookService, type WebhookService } from '../account/webhook-service.ts';
import type { Person } from './dashboard-service.ts';

const live = '/selling/live/webhooks';
const day = 86_400_000;

describe('the pages of webhooks', () => {
  let service: WebhookService;
  let ada: Person;
  let eve: Person;
  beforeEach(async () => {
    service = await startWebhookService();
    ada = await service.signedInUser({ name: 'Ada' });
    eve = await service.signedInUser({ name: 'Eve' });
  });
  afterEach(() => service.close());

  const pathOf = ({ endpoint }: { endpoint: { id: number } }) => `${live}/${endpoint.id}`;
  const secretIn = ({ html }: WebAnswer) => /value="(whsec_[^"]+)"/.exec(html)?.[1];
  const lastEvent = async () => (await service.rows('audit_log')).at(-1);

  itLong(
    '303 to the sign-in page without a session, 404 for those of others, of the other mode, and unknown ones',
    async () => {
      const own = pathOf(await service.webhook(ada));
      const delivery = `${own}/deliveries/1`;
      const paths = [
        own,
        delivery,
        ...['edit', 'delete', 'test', 'replay', 'secret', 'deliveries'].map((one) => `${own}/${one}`),
      ];
      for (const path of [live, `${live}/new`, ...paths]) {
        const { status, location } = await service.browser().get(path);
        expect([status, location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
      }
      for (const path of paths) expect((await eve.browser.get(path)).status, path).to.equal(404);
      for (const path of ['on', 'off', 'delete', 'test', 'replay', 'rotate-secret', 'deliveries/1/redeliver']) {
        expect((await eve.browser.post(`${own}/${path}`, { event: 'license.issued', since: '24' })).status).to.equal(
          404,
        );
      }
      expect((await ada.browser.get(own.replace('live', 'test'))).status).to.equal(404);
      expect((await ada.browser.get(`${live}/no-number`)).status).to.equal(404);
      expect((await eve.browser.get(live)).text).not.to.include('hooks.example.com');
    },
  );

  it('200 for an administrator, who sees all by address, but only own ones in the list', async () => {
    const own = pathOf(await service.webhook(ada));
    const root = await service.signedInUser({ name: 'Root', role: 'admin' });
    expect((await root.browser.get(own)).status).to.equal(200);
    expect((await root.browser.get(live)).text).not.to.include('hooks.example.com');
  });

  itLong('200 with what to do first, in each mode, and 200 for the guide that it leads to', async () => {
    for (const path of [live, '/selling/test/webhooks']) {
      const page = await ada.browser.get(path);
      expect([page.status, page.heading]).to.deep.equal([200, 'Webhooks']);
      expect(page.text).to.include('Add your first webhook');
    }
    expect((await ada.browser.get('/docs/webhooks')).status).to.equal(200);
  });

  itLong('200 for a new webhook with its secret; sending the form again adds none', async () => {
    await service.product(ada, 'jar', { title: 'Jar' });
    const form = await ada.browser.open(`${live}/new`);
    const fields = {
      url: ' https://hooks.example.com/in ',
      access: 'some',
      events: ['license.revoked', 'license.verified'],
      product: 'jar',
      description: 'Mine',
    };
    const made = await ada.browser.submit(form, fields);
    expect(made.status, made.text).to.equal(200);
    const [row] = await service.rows('webhook_endpoints');
    expect(row).to.include({ url: 'https://hooks.example.com/in', events: 'license.revoked license.verified' });
    expect((await service.parts.get(t.secretBox)).open(row?.secret as never)).to.equal(secretIn(made));
    const again = await ada.browser.submit(form, fields);
    expect(again.location).to.equal(live);
    expect(await service.rows('webhook_endpoints')).to.have.length(1);
    const list = await ada.browser.get(live);
    for (const text of ['hooks.example.com/in', '2 events', 'Jar', 'Mine', 'On']) expect(list.text).to.include(text);
    expect(secretIn(list)).to.equal(undefined);
  });

  itLong('422 beside the field for a wrong address, event or product, and with too many webhooks', async () => {
    const good = { url: 'https://hooks.example.com', access: 'all', product: '' };
    for (const [wrong, message] of [
      [{ url: '' }, 'Enter an address.'],
      [{ url: 'http://hooks.example.com' }, 'The URL must begin with https://.'],
      [{ url: 'https://[::1]/' }, 'This server connects to public addresses only'],
      [{ access: 'some' }, 'Choose at least one event.'],
      [{ product: 'of-nobody' }, 'You have no such product.'],
    ] as const) {
      const answer = await ada.browser.fill(`${live}/new`, { ...good, ...wrong });
      expect(answer.status, message).to.equal(422);
      expect(answer.text).to.include(message);
    }
    for (let n = 0; n < endpointLimits.perAccount; n++) await service.webhook(ada);
    const many = await ada.browser.fill(`${live}/new`, good);
    expect([many.status, many.text.includes('You have 20 webhooks already.')]).to.deep.equal([422, true]);
  });

  itLong('303 for changes; the form keeps the product, also one that is archived', async () => {
    const product = await service.product(ada, 'jar', { archivedAt: 1 });
    const own = pathOf(await service.webhook(ada, { product: 'jar', events: ['license.issued'] }));
    const saved = await ada.browser.fill(`${own}/edit`, { description: 'Changed' });
    expect([saved.status, saved.location]).to.deep.equal([303, own]);
    expect((await ada.browser.follow(saved)).text).to.include('Your changes are saved.');
    const [row] = await service.rows('webhook_endpoints');
    expect(row).to.include({ description: 'Changed', product_id: product.id, events: 'license.issued' });
    expect((await ada.browser.fill(`${own}/edit`, { url: 'ftp://x' })).status).to.equal(422);
  });

  it('asks for the password before it shows or changes the secret, and notes both', async () => {
    const webhook = await service.webhook(ada);
    const own = pathOf(webhook);
    service.clock.advance(confirmationLife);
    for (const path of [`${own}/secret`, `${own}/rotate-secret`]) {
      const bare = await ada.browser.post(path, {});
      expect([bare.status, secretIn(bare)]).to.deep.equal([422, undefined]);
      const wrong = await ada.browser.fill(path, { current_password: 'not the password' });
      expect([wrong.status, secretIn(wrong)]).to.deep.equal([422, undefined]);
    }
    const shown = await ada.browser.fill(`${own}/secret`, { current_password: ada.password });
    expect([shown.status, secretIn(shown)]).to.deep.equal([200, webhook.plainSecret]);
    expect(shown.headers.get('Cache-Control')).to.equal('no-store');
    expect(await lastEvent()).to.include({ type: 'webhook.secret_shown', actor: ada.email });
    const changed = await ada.browser.submit(await ada.browser.open(`${own}/rotate-secret`), {}, 'Make a new secret');
    expect(secretIn(changed))
      .to.match(/^whsec_/)
      .and.not.to.equal(webhook.plainSecret);
    expect(await lastEvent()).to.include({ type: 'webhook.secret_rotated' });
    expect((await ada.browser.get(own)).text).to.include('Old secret valid until');
  });

  itLong('409 for the second of two new secrets: the one that was shown stays', async () => {
    const webhook = await service.webhook(ada);
    const path = `${pathOf(webhook)}/rotate-secret`;
    const submit = 'Make a new secret';
    const [first, second, later] = [
      await ada.browser.open(path),
      await ada.browser.open(path),
      await ada.browser.open(path),
    ];
    const both = await Promise.all([first, second].map((tab) => ada.browser.submit(tab, {}, submit)));
    expect(both.map(({ status }) => status)).to.have.members([200, 409]);
    const answer = await ada.browser.submit(later, {}, submit);
    expect([answer.status, secretIn(answer)]).to.deep.equal([409, undefined]);
    expect(answer.alert).to.include('This was changed while you had the form open');
    const shown = await ada.browser.fill(`${pathOf(webhook)}/secret`, {});
    expect(both.map(secretIn)).to.include(secretIn(shown));
    expect((await ada.browser.submit(answer, {}, submit)).status).to.equal(200);
  });

  itLong('303 for switching off and on; 422 for samples and repetitions meanwhile', async () => {
    const webhook = await service.webhook(ada);
    const own = pathOf(webhook);
    const { id } = await service.sample(ada, webhook);
    const off = await ada.browser.follow(await ada.browser.post(`${own}/off`, {}));
    expect(off.text).to.include('The webhook is off.').and.to.include('Switch on');
    const refused = [
      await ada.browser.post(`${own}/test`, { event: 'license.issued' }),
      await ada.browser.post(`${own}/replay`, { since: '24' }),
      await ada.browser.post(`${own}/deliveries/${id}/redeliver`, {}),
    ];
    for (const { status, text } of refused) {
      expect(status).to.equal(422);
      expect(text).to.include('Switch it on first.');
    }
    expect((await ada.browser.follow(await ada.browser.post(`${own}/on`, {}))).text).to.include('The webhook is on.');
  });

  itLong('303 to the list after a webhook was deleted', async () => {
    const own = pathOf(await service.webhook(ada));
    const gone = await ada.browser.fill(`${own}/delete`, {});
    expect([gone.status, gone.location]).to.deep.equal([303, live]);
    expect((await ada.browser.follow(gone)).text).to.include('The webhook is deleted.');
    expect((await ada.browser.get(own)).status).to.equal(404);
  });

  itLong('303 for a sample, whose page shows the attempts side by side, with the answers as text', async () => {
    const own = pathOf(await service.webhook(ada));
    const sent = await ada.browser.fill(`${own}/test`, { event: 'license.domain_moved' });
    expect(sent.status).to.equal(303);
    expect((await ada.browser.follow(sent)).text).to.include('It is not sent yet.');
    await service.attempt(refusedByReceiver);
    service.clock.advance(webhookBackOff[0]);
    await service.attempt(arrived);
    const page = await ada.browser.get(sent.location ?? '');
    for (const text of ['Attempt 1', 'Wrong status', 'Attempt 2', 'Delivered', 'Sample', 'new.example.com']) {
      expect(page.text).to.include(text);
    }
    expect(page.html).to.include('Out of &lt;b>paper').and.not.to.include('<b>paper');
    const again = await ada.browser.submit(page, {}, 'Send again');
    expect([again.status, again.location]).to.deep.equal([303, sent.location]);
    expect(await service.attempt(arrived)).to.equal(1);
  });

  itLong('200 with figures of the last 7 days, the reasons of failures, and filters of the deliveries', async () => {
    const webhook = await service.webhook(ada);
    const own = pathOf(webhook);
    await service.sample(ada, webhook, 'license.issued');
    await service.attempt(arrived);
    await service.sample(ada, webhook, 'license.revoked');
    for (const wait of [...webhookBackOff, 0]) {
      await service.attempt(refusedByReceiver);
      service.clock.advance(wait);
    }
    const page = await ada.browser.get(own);
    for (const text of [
      'At least one event could not be delivered',
      'Events that could not be delivered',
      'Failing since',
    ]) {
      expect(page.text).to.include(text);
    }
    expect((await ada.browser.get(live)).text).to.include('1 delivered, 6 failed');
    const list = async (query: string) =>
      (await ada.browser.get(`${own}/deliveries?${query}`)).html.match(/\/deliveries\/\d+"/g)?.length ?? 0;
    expect(await list('')).to.equal(2);
    expect(await list('state=failed')).to.equal(1);
    expect(await list('event=license.issued')).to.equal(1);
    expect(await list('to=2025-12-31')).to.equal(0);
    expect((await ada.browser.get(`${own}/deliveries?state=waiting`)).text).to.include('No such delivery');
    const replayed = await ada.browser.fill(`${own}/replay`, { since: '336' });
    expect([replayed.status, replayed.location]).to.deep.equal([303, `${own}/deliveries`]);
    expect(await service.attempt(arrived)).to.equal(2);
    expect((await ada.browser.get(own)).text).to.not.include('Failing since');
    service.clock.advance(8 * day);
    expect((await ada.browser.get(live)).text).to.include('Nothing sent');
  });

  itLong(
    '200 for a listener: no address, samples wait until they are fetched, and it can be switched off and deleted',
    async () => {
      const own = pathOf(await service.webhook(ada, { url: null, description: 'My laptop' }));
      const list = await ada.browser.get(live);
      for (const text of ['Listener', 'My laptop', 'Listens', 'Events are fetched']) expect(list.text).to.include(text);
      const page = await ada.browser.get(own);
      expect([page.status, page.heading]).to.deep.equal([200, 'Listener']);
      expect(page.text).to.include('A program fetches the events.').and.not.to.include('Edit');
      const sent = await ada.browser.fill(`${own}/test`, { event: 'license.issued' });
      const delivery = await ada.browser.follow(sent);
      expect(delivery.text).to.include('Nothing is sent: a program fetches it.').and.to.include('Waiting');
      expect(await service.attempt(arrived)).to.equal(0);
      expect((await ada.browser.get(`${own}/deliveries`)).status).to.equal(200);
      const refused = await ada.browser.post(`${own}/edit`, { url: 'https://hooks.example.com/in', access: 'all' });
      expect([refused.status, refused.text.includes('cannot get one')]).to.deep.equal([422, true]);
      const off = await ada.browser.follow(await ada.browser.post(`${own}/off`, {}));
      expect(off.text).to.include('It gets no events.');
      expect((await ada.browser.get(live)).text).to.not.include('Listens');
      expect((await ada.browser.fill(`${own}/delete`, {})).status).to.equal(303);
      expect((await ada.browser.get(own)).status).to.equal(404);
    },
  );

  itLong('the system page shows what waits and what was sent in the last hours', async () => {
    const root = await service.signedInUser({ name: 'Root', role: 'admin' });
    const webhook = await service.webhook(ada);
    await service.sample(ada, webhook);
    expect((await root.browser.get('/admin/system')).text).to.match(/Events to send ?1 waiting, the oldest since/);
    await service.attempt(arrived);
    const { text } = await root.browser.get('/admin/system');
    expect(text).to.match(/Events to send ?Nothing waits/);
    expect(text).to.match(/This hour so far ?1 delivered, 0 failed/);
    service.clock.advance(3_600_000);
    expect((await root.browser.get('/admin/system')).text).to.match(/Last full hour ?1 delivered, 0 failed/);
  });
});
