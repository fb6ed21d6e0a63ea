import type { VNode } from 'preact';
import { type ApiKey, isGood, keyStateOf } from '../../../../core/accounts/api-key.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { endOf, KeyLook, KeyTags } from './key-facts.tsx';
import { addressOf, entry } from './plan-page.tsx';

const { keys: words } = texts.plan;

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
          <h2>{words.title}</h2>
          {keys.length > 0 && <p class="lead">{working.length === 0 ? words.noneWorks : words.lead}</p>}
        </div>
        {keys.length > 0 && (
          <a class="button primary" href={`${root}${entry}/keys/new`}>
            {words.make}
          </a>
        )}
      </div>
      {keys.length === 0 && (
        <EmptyState title={words.noneTitle}>
          <p>{words.none}</p>
          <p>
            <a class="button primary" href={`${root}${entry}/keys/new`}>
              {words.first}
            </a>
          </p>
        </EmptyState>
      )}
      <Entries keys={working} now={now} root={root} />
      {ended.length > 0 && (
        <details class="more">
          <summary>{words.ended(ended.length)}</summary>
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
              <li>{key.scopes === null ? words.allScopes : words.someScopes(key.scopes.length)}</li>
              <li>
                {words.created} <Time at={key.createdAt} />
              </li>
              <li>
                {key.lastUsedAt === null ? (
                  words.unused
                ) : (
                  <>
                    {words.used} <Time at={key.lastUsedAt} />
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

function End({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: Instant }): VNode {
  const [label, at] = endOf(apiKey, now);
  if (at === null) return <>{words.neverExpires}</>;
  return (
    <>
      {label} <Time at={at} />
    </>
  );
}

/** The buttons to rotate and to revoke a key. */
export function KeyActions({
  apiKey,
  now,
  root,
}: {
  readonly apiKey: ApiKey;
  readonly now: Instant;
  readonly root: string;
}): VNode | null {
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
          {words.rotate}
          {name}
        </a>
      )}
      <a class="button small danger" href={`${root}${addressOf(apiKey)}/revoke`}>
        {words.revoke}
        {name}
      </a>
    </div>
  );
}
