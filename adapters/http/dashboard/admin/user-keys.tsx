import type { VNode } from 'preact';
import { z } from 'zod';
import { type ApiKey, isGood } from '../../../../core/accounts/api-key.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Facts } from '../../ui/facts.tsx';
import { Form } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../answer.ts';
import { form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorOf } from '../page.ts';
import { KeyLook, KeyTags } from '../plan/key-facts.tsx';
import type { DashboardTools } from '../tools.ts';
import type { SignedInVisit } from '../visit.ts';
import { type AdminTools, userIn } from './admin-tools.ts';
import { addressOf, UserPage } from './user-frame.tsx';

const { keys: words, never } = texts.admin;
/** The most keys on a page. An account from before the limit on keys may have very many. */
const most = 200;

/** The API keys of a user. */
export function KeyPart({
  keys,
  address,
  now,
}: {
  readonly keys: readonly ApiKey[];
  /** The address of the user. */
  readonly address: string;
  readonly now: Instant;
}): VNode {
  const columns: readonly Column<ApiKey>[] = [
    {
      title: words.name,
      cell: ({ name }) => (
        <span dir="auto" class="breakable">
          {name}
        </span>
      ),
    },
    {
      title: words.key,
      cell: (key) => (
        <>
          <div class="whole">
            <KeyLook apiKey={key} />
          </div>
          <KeyTags apiKey={key} now={now} />
        </>
      ),
    },
    { title: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: words.used, cell: ({ lastUsedAt }) => (lastUsedAt === null ? never : <Time at={lastUsedAt} />) },
    {
      title: words.action,
      cell: (key) =>
        isGood(key, now) && (
          <a class="button small danger" href={`${address}/keys/${key.id}/revoke`}>
            {words.revoke} <span class="unseen">{key.name}</span>
          </a>
        ),
    },
  ];
  // Keys that work come first, so that readers find them among many that have ended.
  const sorted = [...keys.filter((key) => isGood(key, now)), ...keys.filter((key) => !isGood(key, now))];
  return (
    <section>
      <div class="part">
        <h2>{words.title}</h2>
      </div>
      {keys.length === 0 ? (
        <p class="intro">{words.none}</p>
      ) : (
        <List label={words.title} columns={columns} rows={sorted.slice(0, most)} keyOf={({ id }) => id} />
      )}
      {sorted.length > most && <p class="intro">{words.more(sorted.length - most)}</p>}
    </section>
  );
}

/** Asks before it revokes a key. */
export function revokeKeyPages(tools: DashboardTools, admin: AdminTools): Endpoint[] {
  async function keyIn(visit: SignedInVisit) {
    const { user } = await userIn(admin, visit);
    const keys = orFail(await admin.accounts.listKeys(String(user.id), actorOf(visit)));
    const key = keys.find(({ id }) => String(id) === visit.params.key);
    if (key === undefined) throw new Failure('not_found');
    return { user, key };
  }
  return form(tools, {
    id: 'admin-revoke-key',
    path: '/admin/users/:id/keys/:key/revoke',
    audience: 'users:manage',
    fields: z.object({}),
    async render(visit, state) {
      const { user, key } = await keyIn(visit);
      return (
        <UserPage frame={visit.frame} user={user} title={words.revokeTitle}>
          <p class="intro">{words.revokeLead}</p>
          <Facts
            facts={[
              [
                words.name,
                <span key="name" dir="auto">
                  {key.name}
                </span>,
              ],
              [words.key, <KeyLook key="key" apiKey={key} />],
              [words.state, <KeyTags key="state" apiKey={key} now={tools.clock.now()} />],
            ]}
          />
          <Form
            state={state}
            submit={words.revokeSubmit}
            isDangerous
            cancel={`${visit.frame.root}${addressOf(user)}`}
          />
        </UserPage>
      );
    },
    async act(visit) {
      const { user, key } = await keyIn(visit);
      const revoked = orFail(await admin.accounts.revokeKey(String(key.id), actorOf(visit)));
      return isRefused(revoked) ? revoked : goTo(addressOf(user), { notice: 'user_key_revoked' });
    },
    refusals: { key_ambiguous: { text: words.ambiguous } },
  });
}
