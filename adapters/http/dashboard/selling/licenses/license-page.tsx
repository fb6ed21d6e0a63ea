import type { VNode } from 'preact';
import { parseId, toAuditId } from '../../../../../core/id.ts';
import { ownStatusOf, plainTransitions, transitions } from '../../../../../core/licensing/license.ts';
import type { Instant } from '../../../../../core/ports/clock.ts';
import type { Order } from '../../../../../core/purchases/order.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../../surface.ts';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { ExplainPart } from '../../explain-part.tsx';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import { choicesIn } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import { OrderTag, orderPath } from '../order-link.tsx';
import { sellerIn } from '../selling-page.tsx';
import { UsageSection, usageIn } from '../usage-section.tsx';
import { DomainPart } from './domain-part.tsx';
import { HistoryPart, historyPage } from './history-part.tsx';
import { LicenseFacts } from './license-facts.tsx';
import { LicensePage } from './license-frame.tsx';
import { addressOf, isWithheld, type LicenseTools, licenseIn } from './license-tools.ts';
import { ownerLink, ownersOf } from './owner-link.tsx';
import { canBeRenewed } from './renew.tsx';

const { sellingLicenses: words } = texts;

/** One license, with everything that a seller sees and does. */
export function licensePage(tools: DashboardTools, selling: LicenseTools): Endpoint {
  return page(tools, {
    id: 'selling-license',
    path: '/selling/:mode/licenses/:key',
    audience: 'user',
    async show(visit) {
      const found = await licenseIn(selling, visit);
      const { key } = found.license;
      const seller = sellerIn(visit);
      const before = parseId(visit.query.before ?? '', toAuditId);
      const { domain } = choicesIn(visit, 'domain');
      const [history, explanation, used, order] = await Promise.all([
        selling.licenses.events(key, { before, limit: historyPage }, seller),
        domain === '' ? undefined : selling.licenses.explain(key, domain, seller),
        usageIn({ ...selling, clock: tools.clock }, visit, { license: key }),
        selling.orders.findByLicense(key, seller),
      ]);
      const { ownerId } = found.license;
      const owner =
        ownerId === visit.me.login.id
          ? undefined
          : ownerLink(visit.frame.root, ownerId, await ownersOf(selling.accounts, [ownerId]));
      const address = `${visit.frame.root}${addressOf(found)}`;
      const { root } = visit.frame;
      return shown(
        <LicensePage
          visit={visit}
          of={found}
          scripts={['copy.js']}
          actions={<Acts found={found} address={address} now={tools.clock.now()} />}
        >
          {isWithheld(found) && <Withheld found={found} order={order} root={root} />}
          <LicenseFacts found={found} address={address} owner={owner} order={order} root={root} />
          <DomainPart found={found} root={root} now={tools.clock.now()} />
          <ExplainPart
            words={words.explain}
            address={address}
            typed={domain}
            explanation={explanation && orFail(explanation)}
          />
          <UsageSection root={root} address={address} used={used} />
          <HistoryPart
            history={orFail(history)}
            isFirst={before === undefined}
            address={address}
            me={visit.me.login.email}
          />
        </LicensePage>,
      );
    },
  });
}

/** Links to the pages that change the license, if its status allows them. */
function Acts({
  found,
  address,
  now,
}: {
  readonly found: ShownLicense;
  readonly address: string;
  readonly now: Instant;
}): VNode {
  const status = ownStatusOf(found.license, now);
  return (
    <div class="choices">
      {canBeRenewed(found, now) && (
        <a class="button" href={`${address}/renew`}>
          {words.renew.name}
        </a>
      )}
      {plainTransitions
        .filter((one) => transitions[one][status] !== undefined)
        .map((one) => (
          <a
            key={one}
            class={one === 'reinstate' ? 'button primary' : one === 'revoke' ? 'button danger' : 'button'}
            href={`${address}/${one}`}
          >
            {words.acts[one].name}
          </a>
        ))}
    </div>
  );
}

/** Says that the payment of the license withholds it, and leads to the order. */
function Withheld({
  found: { license },
  order,
  root,
}: {
  readonly found: ShownLicense;
  readonly order: Order | undefined;
  readonly root: string;
}): VNode {
  const { withheld } = words;
  return (
    <section class="panel state">
      <p>
        {order && <OrderTag order={order} />} {withheld[license.standing === 'revoked' ? 'revoked' : 'suspended']}
      </p>
      {order && (
        <p>
          <a href={`${root}${orderPath(order)}`}>{withheld.toOrder}</a>
        </p>
      )}
    </section>
  );
}
