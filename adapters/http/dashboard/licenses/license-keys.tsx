import type { VNode } from 'preact';
import { z } from 'zod';
import { endOfDay } from '../../../../core/day-text.ts';
import { type Alias, aliasLength, foreignAliasKinds, parseForeignAlias } from '../../../../core/licensing/alias.ts';
import { ownStatusOf } from '../../../../core/licensing/license.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ChoiceField, DateField, SelectField, TextField } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import { act } from '../kit/act.tsx';
import { oneOf, optionalText, reason, required } from '../kit/fields.ts';
import { type DashboardTools, orFail, type Visit } from '../kit/page.ts';
import type { RefusalMessage } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { notAllowed } from './acts.tsx';
import { ReasonField } from './fields.tsx';
import { words } from './key-words.ts';
import { addressOf, type LicenseTools } from './subject.tsx';
import { words as licenseWords } from './words.ts';

/** The days for which a replaced key still works. */
export const keyOverlaps = ['0', '7', '14', '30'] as const;

/** What a form says if a key cannot be replaced. */
export const rotateRefusals = {
  transition_not_allowed: { text: licenseWords.notAllowed },
  rotation_limit_reached: { text: ({ detail }) => detail ?? words.rotate.limit },
} as const satisfies Record<string, RefusalMessage>;

const value = required(aliasLength.most, words.add.notText(aliasLength.least, aliasLength.most)).transform(
  (text, context) => {
    const alias = parseForeignAlias(text);
    if (alias !== undefined) return alias;
    context.addIssue(words.add.notText(aliasLength.least, aliasLength.most));
    return z.NEVER;
  },
);

const lastDay = optionalText.transform((text, context) => {
  if (text === '') return null;
  const end = endOfDay(text);
  if (end !== undefined) return end;
  context.addIssue(words.add.noDay);
  return z.NEVER;
});

/** The field that asks how long the present key still works. */
export function OverlapField(): VNode {
  return (
    <ChoiceField
      name="overlap"
      type="radio"
      label={words.rotate.overlap}
      options={keyOverlaps.map((days) => [days, words.rotate.overlaps[days]])}
    />
  );
}

/** The other keys that lead to a license. */
export function KeyPart({
  aliases,
  address,
}: {
  readonly aliases: readonly Alias[];
  /** The address of the license. */
  readonly address: string;
}): VNode {
  const columns: readonly Column<Alias>[] = [
    { title: words.key, cell: ({ hint }) => <code dir="auto">{hint}</code> },
    { title: words.kind, cell: ({ kind }) => words.kinds[kind] },
    { title: words.added, cell: ({ addedAt }) => <Time at={addedAt} /> },
    { title: words.until, cell: ({ validUntil }) => timeOr(validUntil, words.forEver) },
    {
      title: words.acts,
      isTitleUnseen: true,
      cell: ({ id, hint }) => (
        <RowMenu
          id={`key-acts-${id}`}
          about={hint}
          acts={[{ href: `${address}/aliases/${id}/remove`, text: words.remove.name, isDanger: true }]}
        />
      ),
    },
  ];
  return (
    <section id="keys">
      <PartHead title={words.title} lead={aliases.length === 0 ? words.none : words.lead} />
      {aliases.length > 0 && <List label={words.title} columns={columns} rows={aliases} />}
      <p class="choices">
        <ButtonLink href={`${address}/aliases/add`} text={words.add.name} look="small" />
      </p>
    </section>
  );
}

/** The acts on the keys of a license: replace its own, add one of another system, and remove such a one. */
export function keyActs(
  tools: DashboardTools,
  license: Subject<ShownLicense>,
  { licenses: { keys } }: LicenseTools,
): Endpoint[] {
  /** Returns the alias in the path, if it still leads to the license. */
  async function aliasIn({ license: { key } }: ShownLicense, visit: Visit & Parameters<typeof sellerIn>[0]) {
    const aliases = orFail(await keys.aliases(key, sellerIn(visit)));
    return orFail(aliases.find(({ id }) => String(id) === visit.params.alias) ?? gone());
  }

  return [
    ...act(tools, license, {
      id: 'selling-license-rotate',
      name: 'rotate',
      fields: z.object({ overlap: oneOf(keyOverlaps, words.rotate.choose), reason }),
      initial: { overlap: '14' },
      ask({ one, address }) {
        const { title, lead, submit } = words.rotate;
        if (ownStatusOf(one.license, tools.clock.now()) === 'revoked')
          return { title, instead: notAllowed(one, address) };
        const fields = (
          <>
            <OverlapField />
            <ReasonField />
          </>
        );
        return { title, lead, fields, submit, isDangerous: true };
      },
      work: ({ one, visit, fields: { overlap, reason } }) =>
        keys.rotate(one.license.key, Number(overlap), sellerIn(visit, reason)),
      to: ({ shown }) => addressOf(shown),
      notice: 'license_key_replaced',
      refusals: rotateRefusals,
    }),

    ...act(tools, license, {
      id: 'selling-license-alias-add',
      name: 'aliases/add',
      fields: z.object({
        value,
        kind: oneOf(foreignAliasKinds as [(typeof foreignAliasKinds)[number]], words.add.choose),
        until: lastDay,
        reason,
      }),
      initial: { kind: 'lemonsqueezy' },
      ask: () => ({
        title: words.add.title,
        lead: words.add.lead,
        fields: (
          <>
            <SelectField
              name="kind"
              label={words.kind}
              options={foreignAliasKinds.map((kind) => [kind, words.kinds[kind]])}
            />
            <TextField name="value" label={words.add.value} hint={words.add.valueHint} />
            <DateField name="until" label={words.add.until} hint={words.add.untilHint} />
            <ReasonField />
          </>
        ),
        submit: words.add.submit,
      }),
      work: ({ one, visit, fields: { value: text, kind, until: validUntil, reason } }) =>
        keys.addAlias(one.license.key, { text, kind, validUntil }, sellerIn(visit, reason)),
      notice: 'license_alias_added',
      refusals: {
        alias_taken: { field: 'value', text: words.add.taken },
        expiry_not_later: { field: 'until', text: words.add.past },
        too_many_aliases: { text: words.add.tooMany },
      },
    }),

    ...act(tools, license, {
      id: 'selling-license-alias-remove',
      name: 'aliases/:alias/remove',
      fields: z.object({ reason }),
      async ask({ one, visit }) {
        const { hint } = await aliasIn(one, visit);
        const { title, lead, submit } = words.remove;
        return { title: title(hint), lead: lead(hint), fields: <ReasonField />, submit, isDangerous: true };
      },
      async work({ one, visit, fields: { reason } }) {
        return keys.removeAlias(one.license.key, Number(visit.params.alias), sellerIn(visit, reason));
      },
      notice: 'license_alias_removed',
      refusals: { alias_not_found: { text: words.remove.gone } },
    }),
  ];
}

function gone() {
  return { kind: 'refused', reason: 'not_found' } as const;
}
