import type { VNode } from 'preact';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import { type ApiKey, type KeyState, keyStateOf } from '../../../../core/accounts/api-key.ts';
import type { Tier } from '../../../../core/accounts/tier.ts';
import type { AccountUsage } from '../../../../core/accounts/usage.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { PlanContents } from '../../../../core/plans/plan.ts';
import type { SoldPlans } from '../../../../core/plans/sold-plans.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { FileLedger } from '../../../../core/ports/file-ledger.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import { areas, entryOf } from '../../ui/area-page.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import type { Once } from '../kit/once.ts';
import { actorOf, type SignedInVisit } from '../kit/page.ts';
import type { About, Subject } from '../kit/subject-page.tsx';
import { words } from './words.ts';

/** The dependencies of the pages about the plan and its API keys. */
export interface PlanTools {
  readonly accounts: Pick<Accounts, 'find' | 'createKey' | 'listKeys' | 'revokeKey' | 'rotateKey'>;
  readonly usage: AccountUsage;
  contentsOf(tier: Tier): PlanContents;
  /** May be some seconds old. */
  readonly files: Pick<FileLedger, 'used'>;
  readonly sold: Pick<SoldPlans, 'shownTo'>;
  readonly once: Once;
  /** The public address of the site, for sample calls. */
  readonly baseUrl: string;
}

/** The entry of the navigation that the pages about the plan and its keys belong to. */
export const place = { area: 'account', at: 'plan' } as const;
/** The path of the first page of the account, from the site's first page. */
export const entry = areas.account.plan;

export function addressOf({ id }: Pick<ApiKey, 'id'>): string {
  return `${entry}/keys/${id}`;
}

/** A key of the signed-in person. That of somebody else is not found, even for administrators. */
export function keySubject(tools: PlanTools): Subject<ApiKey> {
  return {
    path: `/${entry}/keys/:id`,
    audience: 'user',
    async find(visit) {
      const key = (await ownKeys(tools, visit)).find(({ id }) => String(id) === visit.params.id);
      if (key === undefined) throw new Failure('not_found');
      return key;
    },
    about: aboutKey,
  };
}

/** The title of the pages of a key, and the pages above them. */
export function aboutKey(key: ApiKey): About {
  return { name: key.name, path: addressOf(key), place, above: [entryOf(place)] };
}

/** The signed-in person, as use cases take a user: the id in digits. */
export function ownerOf({ me }: SignedInVisit): string {
  return String(me.login.id);
}

/** The keys of the signed-in person, newest first. `owner`: this person, if it was just read. */
export async function ownKeys(
  { accounts }: Pick<PlanTools, 'accounts'>,
  visit: SignedInVisit,
  owner: string | User = ownerOf(visit),
): Promise<ApiKey[]> {
  const keys = await accounts.listKeys(owner, actorOf(visit));
  if (isRefused(keys)) throw new Failure('not_found');
  return keys;
}

const { keys: names, key: facts } = words;

const looks = {
  active: 'tag good',
  ending: 'tag',
  revoked: 'tag bad',
  expired: 'tag',
} as const satisfies Record<KeyState, string>;

/** Whether the key is for live or test data, and whether it works. */
export function KeyTags({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: Instant }): VNode {
  const state = keyStateOf(apiKey, now);
  return (
    <>
      <span class="tag">{names.modes[apiKey.mode]}</span> <span class={looks[state]}>{names.states[state]}</span>
    </>
  );
}

/** The parts of a key that stay visible. */
export function KeyLook({ apiKey: { prefix, lastFour } }: { readonly apiKey: ApiKey }): VNode {
  return (
    <code class="breakable">
      {prefix}…{lastFour}
    </code>
  );
}

/** When the key ends or ended, with the word for it. `null` means never. */
export function endOf(apiKey: ApiKey, now: Instant): readonly [label: string, at: Instant | null] {
  const { expiresAt, revokedAt } = apiKey;
  const ends = {
    active: [names.expires, expiresAt],
    ending: [names.ends, expiresAt],
    expired: [names.expired, expiresAt],
    revoked: [names.revoked, revokedAt],
  } as const satisfies Record<KeyState, readonly [string, Instant | null]>;
  return ends[keyStateOf(apiKey, now)];
}

/** What the parts of a page about one key need. */
export interface KeyProps {
  readonly apiKey: ApiKey;
  readonly now: Instant;
  /** The address of the site's first page. */
  readonly root: string;
}

/** The facts of one key, as a list of names and values. */
export function KeyFacts({ apiKey, now, root }: KeyProps): VNode {
  const { replacedBy, lastUsedAt } = apiKey;
  const [endLabel, end] = endOf(apiKey, now);
  return (
    <dl class="facts-list panel">
      <dt>{facts.name}</dt>
      <dd>
        <KeyLook apiKey={apiKey} />
      </dd>
      <dt>{facts.state}</dt>
      <dd>
        <KeyTags apiKey={apiKey} now={now} />
      </dd>
      <dt>{names.created}</dt>
      <dd>
        <Time at={apiKey.createdAt} />
      </dd>
      <dt>{names.used}</dt>
      <dd>{timeOr(lastUsedAt, facts.never)}</dd>
      <dt>{endLabel}</dt>
      <dd>{timeOr(end, facts.never)}</dd>
      {replacedBy !== null && (
        <>
          <dt>{facts.successor}</dt>
          <dd>
            <a href={`${root}${addressOf({ id: replacedBy })}`}>{facts.see}</a>
          </dd>
        </>
      )}
    </dl>
  );
}
