import type { User } from '../accounts/user.ts';
import type { Letter } from '../mail/letter.ts';
import { lettersTo } from '../mail/letters-to.ts';
import type { Notice } from '../notifications/notification.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { AddressedEndpoint } from './endpoint.ts';
import type { HealthNews } from './health.ts';

/** Makes the news for the owner of an endpoint. `why`: why the last attempt failed. */
export type TellOwner = (
  endpoint: AddressedEndpoint,
  all: readonly HealthNews[],
  why: string,
  now: Instant,
) => Promise<News>;

export function createTellOwner(accounts: Pick<AccountStore, 'findById'>, write: WriteLetter): TellOwner {
  return async (endpoint, all, why, now) => {
    const owner = all.length === 0 ? undefined : await accounts.findById(endpoint.ownerId);
    if (owner === undefined) return {};
    const told = all.map((one) => toldOf(one, owner, endpoint, why));
    const to = { name: owner.name, address: owner.email };
    return {
      letters: told.flatMap(({ letter }) => lettersTo(write, to, letter, now)),
      notices: told.flatMap(({ notice }) => (notice ? [{ userId: owner.id, notice, createdAt: now }] : [])),
    };
  };
}

function toldOf(
  news: HealthNews,
  { name }: User,
  { id: webhook, url, isLive }: AddressedEndpoint,
  why: string,
): { readonly letter: Letter; readonly notice?: Notice } {
  const facts = { webhook, url, isLive };
  switch (news) {
    case 'failed':
      return {
        letter: { kind: 'webhook-failed', name, ...facts, why },
        notice: { kind: 'webhook_failed', ...facts, why },
      };
    case 'off_soon':
      return { letter: { kind: 'webhook-off-soon', name, ...facts, why } };
    case 'off':
      return { letter: { kind: 'webhook-off', name, ...facts, why }, notice: { kind: 'webhook_off', ...facts } };
  }
}
