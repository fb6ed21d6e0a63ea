import type { VNode } from 'preact';
import { z } from 'zod';
import {
  ownStatusOf,
  type PlainTransition,
  plainTransitions,
  transitions,
} from '../../../../../core/licensing/license.ts';
import type { Instant } from '../../../../../core/ports/clock.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import { LicensePage } from './license-frame.tsx';
import { addressOf, isWithheld, type LicenseTools, licenseIn } from './license-tools.ts';
import { ReasonField, reason } from './note-fields.tsx';

const { sellingLicenses: words } = texts;

/** The pages that suspend, reinstate and revoke a license. Each asks for the reason. */
export function actPages(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  return plainTransitions.flatMap((transition) =>
    form(tools, {
      id: `selling-license-${transition}`,
      path: `/selling/:mode/licenses/:key/${transition}`,
      audience: 'user',
      fields: z.object({ reason }),
      render: async (visit, state) => (
        <ActPage
          visit={visit}
          state={state}
          found={await licenseIn(selling, visit)}
          transition={transition}
          now={tools.clock.now()}
        />
      ),
      async act(visit, { reason }) {
        const changed = orFail(
          await selling.licenses.transit(visit.params.key ?? '', transition, sellerIn(visit, reason)),
        );
        return isRefused(changed) ? changed : goTo(addressOf(changed), { notice: words.acts[transition].notice });
      },
      refusals: {
        transition_not_allowed: { text: words.notAllowed },
        expiry_not_later: { text: words.notAllowed },
      },
    }),
  );
}

function ActPage({
  visit,
  state,
  found,
  transition,
  now,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly found: ShownLicense;
  readonly transition: PlainTransition;
  readonly now: Instant;
}): VNode {
  const { title, effect, name } = words.acts[transition];
  const address = `${visit.frame.root}${addressOf(found)}`;
  const isAllowed = transitions[transition][ownStatusOf(found.license, now)] !== undefined;
  return (
    <LicensePage visit={visit} of={found} title={title}>
      {isAllowed ? (
        <>
          <p class="intro">
            {effect} {isWithheld(found) && words.withheld.later}
          </p>
          <Form state={state} submit={name} cancel={address} isDangerous={transition !== 'reinstate'}>
            <ReasonField state={state} />
          </Form>
        </>
      ) : (
        <NotAllowed found={found} address={address} />
      )}
    </LicensePage>
  );
}

/** Stands in the place of a form that the status of the license does not allow. */
export function NotAllowed({ found, address }: { readonly found: ShownLicense; readonly address: string }): VNode {
  return (
    <>
      <p class="note">
        {isWithheld(found) ? words.withheld.notNow : words.notAllowedNow(words.statuses[found.status])}
      </p>
      <p class="choices">
        <a class="button" href={address}>
          {words.toLicense}
        </a>
      </p>
    </>
  );
}
