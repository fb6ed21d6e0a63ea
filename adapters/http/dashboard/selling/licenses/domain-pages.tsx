import { z } from 'zod';
import type { DomainName } from '../../../../../core/licensing/domain-name.ts';
import type { Activation } from '../../../../../core/licensing/license.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { hostIn, MoveFields, moveRefusals, newHost, overlaps } from '../../domain-form.tsx';
import { oneOf } from '../../fields.ts';
import { form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn } from '../selling-page.tsx';
import { NotAllowed } from './acts.tsx';
import { LicensePage } from './license-frame.tsx';
import { addressOf, type LicenseTools, licenseIn } from './license-tools.ts';
import { ReasonField, reason } from './note-fields.tsx';

const { domains: words } = texts.sellingLicenses;
/** The pages that move a domain, and that remove it. */
export function domainPages(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  const path = '/selling/:mode/licenses/:key/domains/:domain';
  return [
    ...form(tools, {
      id: 'selling-domain-move',
      path: `${path}/move`,
      audience: 'user',
      fields: z.object({ to: newHost, overlap: oneOf(overlaps, words.move.choose), reason }),
      initial: () => ({ overlap: '24' }),
      async render(visit, state) {
        const found = await licenseIn(selling, visit);
        const from = hostIn(visit);
        const address = `${visit.frame.root}${addressOf(found)}`;
        return (
          <LicensePage visit={visit} of={found} title={words.move.title(from)}>
            {found.status === 'active' ? (
              <>
                <div class="intro">
                  <p>{words.move.lead(from)}</p>
                </div>
                <Form state={state} submit={words.move.submit} cancel={address}>
                  <MoveFields state={state} from={from} />
                  <ReasonField state={state} />
                </Form>
              </>
            ) : (
              <NotAllowed found={found} address={address} />
            )}
          </LicensePage>
        );
      },
      async act(visit, { to, overlap, reason }) {
        const { license } = await licenseIn(selling, visit);
        const move = { from: hostIn(visit), to, overlapHours: Number(overlap) };
        const moved = orFail(await selling.domains.move(license.key, move, sellerIn(visit, reason)));
        return isRefused(moved) ? moved : goTo(addressOf({ license }), { notice: 'domain_moved' });
      },
      refusals: moveRefusals,
    }),

    ...form(tools, {
      id: 'selling-domain-remove',
      path: `${path}/remove`,
      audience: 'user',
      fields: z.object({ reason }),
      async render(visit, state) {
        const found = await licenseIn(selling, visit);
        const domain = hostIn(visit);
        const from = movingTo(found, domain);
        return (
          <LicensePage visit={visit} of={found} title={words.remove.title(domain)}>
            <div class="intro">
              <p>{words.remove.lead(domain)}</p>
              {from && <p>{words.remove.both(from.domain)}</p>}
            </div>
            <Form
              state={state}
              submit={words.remove.submit}
              cancel={`${visit.frame.root}${addressOf(found)}`}
              isDangerous
            >
              <ReasonField state={state} />
            </Form>
          </LicensePage>
        );
      },
      async act(visit, { reason }) {
        const { license } = await licenseIn(selling, visit);
        const removed = orFail(await selling.domains.remove(license.key, hostIn(visit), sellerIn(visit, reason)));
        return isRefused(removed) ? removed : goTo(addressOf({ license }), { notice: 'domain_removed' });
      },
      refusals: { domain_not_found: { text: words.gone } },
    }),
  ];
}

/** The host that is being moved to this one. It ends together with it. */
function movingTo({ domains }: ShownLicense, domain: DomainName): Activation | undefined {
  return domains.find(({ movedTo }) => movedTo === domain);
}
