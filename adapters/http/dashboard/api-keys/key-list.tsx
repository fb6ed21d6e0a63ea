import type { VNode } from 'preact';
import { type ApiKey, isGood, keyStateOf } from '../../../../core/accounts/api-key.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Time } from '../../ui/time.tsx';
import { addressOf, endOf, entry, KeyLook, type KeyProps, KeyTags } from './subject.tsx';
import { words } from './words.ts';

const { keys: names } = words;

interface Props {
  readonly keys: readonly ApiKey[];
  readonly now: Instant;
  readonly root: string;
}

/** The working keys, with buttons. The others are folded away. */
export function KeyList({ keys, now, root }: Props): VNode {
  const working = keys.filter((key) => isGood(key, now));
  const ended = keys.filter((key) => !isGood(key, now));
  return (
    <section>
      <div class="part">
        <div>
          <h2>{names.title}</h2>
          {keys.length > 0 && <p class="lead">{working.length === 0 ? names.noneWorks : names.lead}</p>}
        </div>
        {keys.length > 0 && <ButtonLink href={`${root}${entry}/keys/new`} text={names.make} look="primary" />}
      </div>
      {keys.length === 0 && (
        <EmptyState icon="licenses" title={names.noneTitle}>
          <p>{names.none}</p>
          <p>
            <ButtonLink href={`${root}${entry}/keys/new`} text={names.first} look="primary" />
          </p>
        </EmptyState>
      )}
      <Entries keys={working} now={now} root={root} />
      {ended.length > 0 && (
        <details class="more">
          <summary>{names.ended(ended.length)}</summary>
          <Entries keys={ended} now={now} root={root} />
        </details>
      )}
    </section>
  );
}

function Entries({ keys, now, root }: Props): VNode | null {
  if (keys.length === 0) return null;
  return (
    <ul class="rows panel">
      {keys.map((key) => (
        <li class="row" key={key.id}>
          <div class="about">
            <h3>
              <a class="breakable" href={`${root}${addressOf(key)}`} dir="auto">
                {key.name}
              </a>{' '}
              <KeyTags apiKey={key} now={now} />
            </h3>
            <p>
              <KeyLook apiKey={key} />
            </p>
            <ul class="details">
              <li>{key.scopes === null ? names.allScopes : names.someScopes(key.scopes.length)}</li>
              <li>
                {names.created} <Time at={key.createdAt} />
              </li>
              <li>
                {key.lastUsedAt === null ? (
                  names.unused
                ) : (
                  <>
                    {names.used} <Time at={key.lastUsedAt} />
                  </>
                )}
              </li>
              <li>
                <End apiKey={key} now={now} />
              </li>
            </ul>
          </div>
          <KeyActions apiKey={key} now={now} root={root} />
        </li>
      ))}
    </ul>
  );
}

function End({ apiKey, now }: Pick<KeyProps, 'apiKey' | 'now'>): VNode {
  const [label, at] = endOf(apiKey, now);
  if (at === null) return <>{names.neverExpires}</>;
  return (
    <>
      {label} <Time at={at} />
    </>
  );
}

/** The buttons to rotate and to revoke a key. */
export function KeyActions({ apiKey, now, root }: KeyProps): VNode | null {
  if (!isGood(apiKey, now)) return null;
  const name = (
    <span class="unseen" dir="auto">
      {' '}
      {apiKey.name}
    </span>
  );
  return (
    <div class="choices">
      {keyStateOf(apiKey, now) === 'active' && (
        <a class="button small" href={`${root}${addressOf(apiKey)}/rotate`}>
          {names.rotate}
          {name}
        </a>
      )}
      <a class="button small danger" href={`${root}${addressOf(apiKey)}/revoke`}>
        {names.revoke}
        {name}
      </a>
    </div>
  );
}
