import type { VNode } from 'preact';
import { z } from 'zod';
import { type DomainName, normalizeDomain } from '../../../core/licensing/domain-name.ts';
import type { MoveRefused } from '../../../core/licensing/move.ts';
import { Failure } from '../failures.ts';
import { ChoiceField, TextField } from '../ui/form.tsx';
import type { FormState } from '../ui/form-state.ts';
import { texts } from '../ui/texts.ts';
import { required } from './fields.ts';
import type { RefusalMessage } from './form.ts';
import type { Visit } from './visit.ts';

const { domains: words, statuses } = texts.sellingLicenses;

/** The hours for which both domains of a move work. */
export const overlaps = ['0', '24', '72'] as const;

/** The host in what was typed. */
export const newHost = required(2048, words.move.noHost).transform((text, context) => {
  const host = normalizeDomain(text);
  if (host !== undefined) return host;
  context.addIssue(words.move.noHost);
  return z.NEVER;
});

/** How the form for moving a domain shows why it could not be moved. */
export const moveRefusals = {
  suspended: { text: words.move.inactive(statuses.suspended) },
  revoked: { text: words.move.inactive(statuses.revoked) },
  expired: { text: words.move.inactive(statuses.expired) },
  domain_not_found: { text: words.gone },
  same_domain: { field: 'to', text: words.move.same },
  domain_is_moving: { text: words.move.moving },
  domain_already_activated: { field: 'to', text: words.move.taken },
  move_limit_reached: { text: ({ detail }) => detail ?? words.move.limit },
  domain_limit_reached: { field: 'to', text: words.move.full },
  free_domain_limit_reached: { field: 'to', text: words.move.freeFull },
} as const satisfies Record<MoveRefused, RefusalMessage>;

/** The fields for moving a domain: the new domain, and how long the old one still works. */
export function MoveFields({ state, from }: { readonly state: FormState; readonly from: DomainName }): VNode {
  return (
    <>
      <TextField state={state} name="to" label={words.move.to} hint={words.move.toHint} inputmode="text" />
      <ChoiceField
        state={state}
        name="overlap"
        type="radio"
        label={words.move.overlap(from)}
        options={overlaps.map((hours) => [hours, words.move.overlaps[hours]])}
      />
    </>
  );
}

/** Returns the host in the path. */
export function hostIn({ params }: Pick<Visit, 'params'>): DomainName {
  const host = normalizeDomain(params.domain ?? '');
  if (host === undefined) throw new Failure('not_found');
  return host;
}
