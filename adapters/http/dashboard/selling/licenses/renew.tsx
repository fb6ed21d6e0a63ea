import type { VNode } from 'preact';
import { z } from 'zod';
import { ownStatusOf, transitions } from '../../../../../core/licensing/license.ts';
import type { Duration } from '../../../../../core/marketplace/product-terms.ts';
import type { Instant } from '../../../../../core/ports/clock.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../../surface.ts';
import { Facts } from '../../../ui/facts.tsx';
import { Form } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import { NotAllowed } from './acts.tsx';
import { ExpiryFields, expiryFields, expiryOf } from './expiry-choice.tsx';
import { LicensePage } from './license-frame.tsx';
import { Expiry, LicenseTags } from './license-tags.tsx';
import { addressOf, type LicenseTools, licenseIn } from './license-tools.ts';
import { ReasonField, reason } from './note-fields.tsx';

const { sellingLicenses: words } = texts;

/** A license that never ends cannot be renewed. */
export function canBeRenewed({ license }: ShownLicense, now: Instant): boolean {
  const hasEnd = license.expiresAt !== null || license.daysFromActivation !== null;
  return hasEnd && transitions.renew[ownStatusOf(license, now)] !== undefined;
}

export function renewPages(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  return form(tools, {
    id: 'selling-license-renew',
    path: '/selling/:mode/licenses/:key/renew',
    audience: 'user',
    fields: z.object({ ...expiryFields, reason }),
    initial: () => ({ expiry: 'product' }),
    async render(visit, state) {
      const found = await licenseIn(selling, visit);
      const product = await selling.products.show(String(found.product.id), sellerIn(visit));
      const duration = isRefused(product) ? null : product.terms.duration;
      return <RenewPage visit={visit} state={state} found={found} duration={duration} now={tools.clock.now()} />;
    },
    async act(visit, { expiry, until, reason }) {
      const expiresAt = expiryOf(expiry, until);
      if (isRefused(expiresAt)) return expiresAt;
      const renewed = orFail(await selling.licenses.renew(visit.params.key ?? '', expiresAt, sellerIn(visit, reason)));
      return isRefused(renewed) ? renewed : goTo(addressOf(renewed), { notice: 'license_renewed' });
    },
    refusals: {
      no_day: { field: 'until', text: words.expiry.noDay },
      expiry_not_later: { field: 'until', text: words.renew.notLater },
      transition_not_allowed: { text: words.notAllowed },
    },
  });
}

function RenewPage({
  visit,
  state,
  found,
  duration,
  now,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly found: ShownLicense;
  readonly duration: Duration;
  readonly now: Instant;
}): VNode {
  const address = `${visit.frame.root}${addressOf(found)}`;
  return (
    <LicensePage visit={visit} of={found} title={words.renew.title}>
      {canBeRenewed(found, now) ? (
        <>
          <Facts
            facts={[
              [words.status, <LicenseTags key="status" {...found} />],
              [words.expires, <Expiry key="expires" license={found.license} />],
            ]}
          />
          <Form state={state} submit={words.renew.name} cancel={address}>
            <ExpiryFields
              state={state}
              ofProduct={duration === null ? words.renew.forEver : words.renew.days(duration.days)}
            />
            <ReasonField state={state} />
          </Form>
        </>
      ) : found.license.expiresAt === null ? (
        <p class="note">{words.renew.perpetual}</p>
      ) : (
        <NotAllowed found={found} address={address} />
      )}
    </LicensePage>
  );
}
