import type { ComponentChildren, VNode } from 'preact';
import type { ApiKey } from '../../../../core/accounts/api-key.ts';
import type { Frame } from '../../ui/frame.ts';
import { Secret } from '../../ui/secret.tsx';
import { texts } from '../../ui/texts.ts';
import { addressOf, entry, PlanPage } from './plan-page.tsx';
import { sampleCall } from './sample-call.ts';

const { made: words } = texts.plan;

/** Shows a new key with a command that uses it. The key is never shown again. */
export function MadeKey({
  frame,
  made: { key, secret },
  baseUrl,
  children,
}: {
  readonly frame: Frame;
  readonly made: { readonly key: ApiKey; readonly secret: string };
  readonly baseUrl: string;
  /** More messages, for example about the old key. */
  readonly children?: ComponentChildren;
}): VNode {
  const call = sampleCall(baseUrl, secret, key.scopes);
  return (
    <PlanPage frame={frame} title={words.title} of={key} scripts={['copy.js']}>
      <section class="panel marked">
        <p>{words.lead}</p>
        <Secret id="key" label={words.key} value={secret} />
        {children}
      </section>
      {call !== undefined && (
        <section class="panel">
          <Secret id="call" label={words.call} value={call} />
        </section>
      )}
      <p class="choices">
        <a class="button primary" href={`${frame.root}${entry}`}>
          {words.done}
        </a>
        <a class="button" href={`${frame.root}${addressOf(key)}`}>
          {words.details}
        </a>
      </p>
    </PlanPage>
  );
}
