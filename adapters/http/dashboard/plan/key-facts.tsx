import type { VNode } from 'preact';
import { type ApiKey, type KeyState, keyStateOf } from '../../../../core/accounts/api-key.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { addressOf } from './plan-page.tsx';

const { keys: words, key: facts } = texts.plan;

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
      <span class="tag">{words.modes[apiKey.mode]}</span> <span class={looks[state]}>{words.states[state]}</span>
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
    active: [words.expires, expiresAt],
    ending: [words.ends, expiresAt],
    expired: [words.expired, expiresAt],
    revoked: [words.revoked, revokedAt],
  } as const satisfies Record<KeyState, readonly [string, Instant | null]>;
  return ends[keyStateOf(apiKey, now)];
}

/** The facts of one key, as a list of names and values. */
export function KeyFacts({
  apiKey,
  now,
  root,
}: {
  readonly apiKey: ApiKey;
  readonly now: Instant;
  readonly root: string;
}): VNode {
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
      <dt>{words.created}</dt>
      <dd>
        <Time at={apiKey.createdAt} />
      </dd>
      <dt>{words.used}</dt>
      <dd>{lastUsedAt === null ? facts.never : <Time at={lastUsedAt} />}</dd>
      <dt>{endLabel}</dt>
      <dd>{end === null ? facts.never : <Time at={end} />}</dd>
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
