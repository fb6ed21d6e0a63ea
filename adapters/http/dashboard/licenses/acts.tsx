import type { VNode } from 'preact';
import { z } from 'zod';
import { ownStatusOf, plainTransitions, transitions } from '../../../../core/licensing/license.ts';
import type { LicenseNotes } from '../../../../core/licensing/license-notes.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { LicensePatch } from '../../../../core/selling/changing.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../surface.ts';
import { TextField } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { act } from '../kit/act.tsx';
import { reason } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { NotNow, type Subject } from '../kit/subject-page.tsx';
import {
  ExpiryFields,
  expiryFields,
  licenseExpiry,
  NoteFields,
  noteFields,
  notesOf,
  ReasonField,
  RightFields,
  rightFields,
  typedRights,
  valuesOf,
  valuesOfRights,
  writeMetadata,
} from './fields.tsx';
import { Expiry, isWithheld, LicenseTags, type LicenseTools } from './subject.tsx';
import { words } from './words.ts';

/** The acts on a license: edit, renew, suspend, reinstate and revoke. Each asks for the reason. */
export function licenseActs(
  tools: DashboardTools,
  license: Subject<ShownLicense>,
  { licenses, products }: LicenseTools,
): Endpoint[] {
  return [
    ...act(tools, license, {
      id: 'selling-license-edit',
      name: 'edit',
      fields: z.object({ ...noteFields, ...rightFields, reason }),
      initial: ({ one }) => ({
        max_domains: String(one.license.maxDomains),
        ...valuesOfRights(one.license),
        ...valuesOf(one.notes),
      }),
      edits: [],
      ask: ({ one }) => ({
        title: words.edit.title,
        submit: words.edit.submit,
        fields: (
          <>
            <TextField
              name="max_domains"
              label={words.fields.maxDomains}
              hint={words.edit.maxDomainsHint(one.license.domainsUsed)}
              inputmode="numeric"
            />
            <RightFields />
            <NoteFields />
            <ReasonField />
          </>
        ),
      }),
      work({ one, visit, fields: { max_domains: maxDomains, updates_until: updatesUntil, entitlements, ...more } }) {
        const { reason, ...typed } = more;
        const rights = typedRights(one.license, { updatesUntil, entitlements });
        const patch = { maxDomains, ...rights, ...differing(one, notesOf(typed)) } satisfies LicensePatch;
        return licenses.change(one.license.key, patch, sellerIn(visit, reason), one);
      },
      notice: 'license_changed',
      refusals: { domains_in_use: { field: 'max_domains', text: words.edit.inUse } },
    }),

    ...act(tools, license, {
      id: 'selling-license-renew',
      name: 'renew',
      fields: z.object({ ...expiryFields, reason }),
      initial: { expiry: 'product' },
      async ask({ one, visit, address }) {
        const { title, name, days, forEver, perpetual } = words.renew;
        if (!canBeRenewed(one, tools.clock.now())) {
          const isPerpetual = one.license.expiresAt === null;
          return { title, instead: isPerpetual ? <p class="note">{perpetual}</p> : notAllowed(one, address) };
        }
        const product = await products.show(String(one.product.id), sellerIn(visit));
        const duration = isRefused(product) ? null : product.terms.duration;
        return {
          title,
          submit: name,
          lead: (
            <Facts
              facts={[
                [words.status, <LicenseTags key="status" {...one} />],
                [words.expires, <Expiry key="expires" license={one.license} />],
              ]}
            />
          ),
          fields: (
            <>
              <ExpiryFields ofProduct={duration === null ? forEver : days(duration.days)} />
              <ReasonField />
            </>
          ),
        };
      },
      async work({ one, visit, fields: { expiry, until, reason } }) {
        const expiresAt = licenseExpiry(expiry, until);
        return isRefused(expiresAt)
          ? expiresAt
          : await licenses.renew(one.license.key, expiresAt, sellerIn(visit, reason));
      },
      notice: 'license_renewed',
      refusals: {
        no_day: { field: 'until', text: words.expiry.noDay },
        expiry_not_later: { field: 'until', text: words.renew.notLater },
        transition_not_allowed: { text: words.notAllowed },
      },
    }),

    ...plainTransitions.flatMap((transition) => {
      const { title, effect, name, notice } = words.acts[transition];
      return act(tools, license, {
        id: `selling-license-${transition}`,
        name: transition,
        fields: z.object({ reason }),
        ask: ({ one, address }) => ({
          title,
          ...(transitions[transition][ownStatusOf(one.license, tools.clock.now())] === undefined
            ? { instead: notAllowed(one, address) }
            : {
                lead: `${effect} ${isWithheld(one) ? words.withheld.later : ''}`,
                fields: <ReasonField />,
                submit: name,
                isDangerous: transition !== 'reinstate',
              }),
        }),
        work: ({ one, visit, fields: { reason } }) =>
          licenses.transit(one.license.key, transition, sellerIn(visit, reason)),
        notice,
        refusals: {
          transition_not_allowed: { text: words.notAllowed },
          expiry_not_later: { text: words.notAllowed },
        },
      });
    }),
  ];
}

/** A license that never ends cannot be renewed. */
export function canBeRenewed({ license }: ShownLicense, now: Instant): boolean {
  const hasEnd = license.expiresAt !== null || license.daysFromActivation !== null;
  return hasEnd && transitions.renew[ownStatusOf(license, now)] !== undefined;
}

/** Stands in the place of a form that the status of the license does not allow. */
export function notAllowed(one: ShownLicense, address: string): VNode {
  const why = isWithheld(one) ? words.withheld.notNow : words.notAllowedNow(words.statuses[one.status]);
  return <NotNow why={why} back={address} name={words.toLicense} />;
}

/** The notes that differ, so that the history names only these. */
function differing({ notes: before }: ShownLicense, after: LicenseNotes): Partial<LicenseNotes> {
  const { holder, reference, metadata } = after;
  const isSameHolder = holder?.email === before.holder?.email && holder?.name === before.holder?.name;
  return {
    ...(!isSameHolder && { holder }),
    ...(reference !== before.reference && { reference }),
    ...(writeMetadata(metadata) !== writeMetadata(before.metadata) && { metadata }),
  };
}
