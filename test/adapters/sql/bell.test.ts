import { expect } from 'chai';
import { ringingDatabase } from '../../../adapters/sql/ring.ts';
import { createSqlLoginStore } from '../../../adapters/sql/stores/login-store.ts';
import { createSqlOneTimeLinks } from '../../../adapters/sql/stores/one-time-links.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import { event } from '../../../core/events/event.ts';
import { refuse } from '../../../core/refusal.ts';
import { by } from '../../support/by.ts';
import { newMail } from '../../support/mails.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { addLogin } from '../../support/sign-in.ts';
import { sqlKinds } from '../../support/sql-databases.ts';
import { addEndpoint, addProductOf, noted, sampleEvent } from '../../support/webhooks.ts';

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`the bell of ${name}`, () => {
    itLong(
      'rings once after the commit of a change with letters or deliveries of webhooks, and not after other changes',
      async () => {
        const place = await make();
        const database = await place.open();
        let rung = 0;
        const ringing = ringingDatabase(database, () => rung++);
        const [logins, links] = [createSqlLoginStore(ringing), createSqlOneTimeLinks(ringing)];
        const { id } = await addLogin({ links });
        const change = (told: object) =>
          logins.change(id, (before) => ({ after: before, event: event('user.password_set', 'x', by, 1), ...told }));
        await change({});
        await logins.change(id, () => refuse('no'));
        await change({ letters: [{ ...newMail(1), subject: null }] }).catch(() => undefined);
        expect(rung).to.equal(0);
        await change({ letters: [newMail(1), newMail(1)] });
        expect(rung).to.equal(1);

        const webhooks = createSqlWebhookStore(ringing);
        const endpoint = await addEndpoint({ webhooks }, id);
        await webhooks.remove((await addEndpoint({ webhooks }, id)).id, noted());
        expect(rung).to.equal(1);
        await webhooks.addSample(endpoint.id, sampleEvent(id), noted());
        expect(rung).to.equal(2);
        const products = createSqlProductStore(ringing);
        const productId = await addProductOf({ products }, id);
        const review = (type: 'product.approved' | 'product.unlisted') =>
          products.change(productId, (before) => ({ after: before, event: event(type, 'tip-jar', by, 1) }));
        await review('product.unlisted');
        expect(rung).to.equal(2);
        await review('product.approved');
        expect(rung).to.equal(3);
        await database.close();
        await place.remove();
      },
    );
  });
}
