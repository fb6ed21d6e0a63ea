import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { event } from '../../../core/events/event.ts';
import { keptFor, mostCounted } from '../../../core/notifications/notification.ts';
import { createNotifications } from '../../../core/notifications/notifications.ts';
import { by } from '../../support/by.ts';
import { openStoresInMemory } from '../../support/in-memory.ts';

import { issuedAt, must } from '../../support/license-acts.ts';
import { addLogin } from '../../support/sign-in.ts';

describe('notifications', () => {
  it('are counted up to 100, record when they were read, and are kept for 90 days', async () => {
    await using stores = await openStoresInMemory();
    const clock = createManualClock(issuedAt);
    const notifications = createNotifications({ store: stores.notifications, clock });
    const { id } = await addLogin(stores);
    const notice = { userId: id, notice: { kind: 'password_changed' }, createdAt: clock.now() } as const;
    await stores.logins.change(id, (after) => ({
      after,
      event: event('user.password_set', 'x', by, 1),
      notices: Array.from({ length: mostCounted + 1 }, () => notice),
    }));
    expect(await notifications.countUnread(id)).to.equal(mostCounted);
    const [newest] = await notifications.list(id, { limit: 1 });
    clock.advance(5);
    await notifications.markRead(id, { upTo: must(newest).id });
    expect(await notifications.countUnread(id)).to.equal(0);
    expect((await notifications.list(id, { limit: 1 }))[0]).to.deep.equal({ ...newest, readAt: issuedAt + 5 });
    await notifications.dismiss(id, { only: must(newest).id });
    clock.set(issuedAt + keptFor);
    expect(await notifications.forgetOld()).to.equal(0);
    clock.advance(1);
    expect(await notifications.forgetOld()).to.equal(mostCounted);
    expect(await notifications.list(id, { limit: 1 })).to.deep.equal([]);
  });
});
