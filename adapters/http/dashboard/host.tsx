import type { VNode } from 'preact';
import type { Activation } from '../../../core/licensing/license.ts';
import { texts } from '../ui/texts.ts';
import { Time } from '../ui/time.tsx';

const { domains: words } = texts.sellingLicenses;

/** The name of a host, its kind, and the new host if it is being moved. */
export function Host({ one: { domain, kind, endsAt, movedTo } }: { readonly one: Activation }): VNode {
  return (
    <>
      <span class="host">
        <code>{domain}</code> {kind !== 'slot' && <span class="tag">{words.kinds[kind]}</span>}
      </span>
      {endsAt !== null && (
        <span class="under">
          {words.movingTo} <code>{movedTo}</code>, {words.until} <Time at={endsAt} />
        </span>
      )}
    </>
  );
}
