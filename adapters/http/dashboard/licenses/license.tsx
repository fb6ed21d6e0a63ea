import type { VNode } from 'preact';
import { parseId, toAuditId } from '../../../../core/id.ts';
import { isInstance } from '../../../../core/licensing/instance.ts';
import { ownStatusOf, plainTransitions, transitions } from '../../../../core/licensing/license.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isUsable, type Order } from '../../../../core/purchases/order.ts';
import type { LicenseHistory } from '../../../../core/selling/finding.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Paging } from '../../ui/paging.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { DeployedPart, deployedByBuyer } from '../deployments/of-license.tsx';
import { EventFacts, History } from '../kit/history.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { ownerLink, ownersOf } from '../kit/people.tsx';
import { choicesIn } from '../kit/query.ts';
import { sellerIn } from '../kit/selling.tsx';
import { LicenseStrays } from '../kit/strays.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { UsageSection, usageIn } from '../kit/usage.tsx';
import { OrderTable, OrderTag, orderPath } from '../orders/subject.tsx';
import { canBeRenewed, licenseActs } from './acts.tsx';
import { ClockPart, clockActs } from './clock.tsx';
import { words as clockWords } from './clock-words.ts';
import { DomainPart, domainActs } from './domains.tsx';
import { ExplainPart } from './explain.tsx';
import { importPages } from './import.tsx';
import { issuePages } from './issue.tsx';
import { words as keyWords } from './key-words.ts';
import { LicenseFacts } from './license-facts.tsx';
import { KeyPart, keyActs } from './license-keys.tsx';
import { licenseBulkPages, licenseLists } from './list.tsx';
import { isWithheld, LicenseTags, type LicenseTools, licenseSubject } from './subject.tsx';
import { words } from './words.ts';

/** The pages about licenses, for sellers and administrators. If two paths match a request, the first one answers it. */
export function licensePages(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  const license = licenseSubject(selling);
  return [
    ...licenseLists(tools, selling),
    ...issuePages(tools, selling),
    ...licenseBulkPages(tools, selling),
    ...importPages(tools, selling),
    licensePage(tools, license, selling),
    ...licenseActs(tools, license, selling),
    ...domainActs(tools, license, selling),
    ...keyActs(tools, license, selling),
    ...clockActs(tools, license, selling),
  ];
}

const { history: names } = words;

/** So many changes are on one page. */
const historyPage = 20;

/** One license, with everything that a seller sees and does. */
function licensePage(tools: DashboardTools, license: Subject<ShownLicense>, selling: LicenseTools): Endpoint {
  return subjectPage(tools, license, {
    id: 'selling-license',
    async show(at) {
      const { one, visit, root, address } = at;
      const { key, ownerId } = one.license;
      const now = tools.clock.now();
      const seller = sellerIn(visit);
      const before = parseId(visit.query.before ?? '', toAuditId);
      const { domain } = choicesIn(visit, 'domain');
      const [history, explanation, used, { sold, bundle, renewals }, aliases, instanceNames, strays] =
        await Promise.all([
          selling.licenses.events(key, { before, limit: historyPage }, seller),
          domain === '' ? undefined : selling.licenses.explain(key, domain, seller),
          usageIn({ ...selling, clock: tools.clock }, visit, { license: key }),
          selling.orders.ofLicense(key, seller),
          selling.licenses.keys.aliases(key, seller),
          selling.instances.namesOf(key, one.domains.map((shown) => shown.domain).filter(isInstance)),
          selling.strays.ofLicense(key, seller),
        ]);
      const isOwn = ownerId === visit.me.login.id;
      const [deployed, owners] = await Promise.all([
        deployedByBuyer(selling.deployments, { order: sold, isOwn }, seller),
        isOwn ? undefined : ownersOf(selling.accounts, [ownerId]),
      ]);
      const owner = owners && ownerLink(root, ownerId, owners);
      return {
        scripts: ['copy.js'],
        tags: <LicenseTags {...one} />,
        actions: actButtons(one, address, now),
        children: (
          <>
            {isWithheld(one) &&
              withheldPart(
                one,
                [...renewals, sold].find((order) => order && !isUsable(order)),
                root,
              )}
            <ClockPart license={one.license} address={address} />
            <LicenseFacts {...at} owner={owner} order={sold} bundle={bundle} />
            {renewals.length > 0 && (
              <section>
                <PartHead title={words.renewals} />
                <OrderTable root={root} label={words.renewals} orders={renewals} />
              </section>
            )}
            <DomainPart found={one} names={instanceNames} address={address} now={now} />
            <DeployedPart deployed={deployed} root={root} />
            <LicenseStrays root={root} report={orFail(strays)} rotate={rotatePath(one, address, now)} />
            <KeyPart aliases={orFail(aliases)} address={address} />
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
          </>
        ),
      };
    },
  });
}

/** Links to the pages that change the license, if its status allows them. */
function actButtons(found: ShownLicense, address: string, now: Instant): VNode {
  const status = ownStatusOf(found.license, now);
  const rotate = rotatePath(found, address, now);
  return (
    <div class="choices">
      {canBeRenewed(found, now) && <ButtonLink href={`${address}/renew`} text={words.renew.name} />}
      {rotate !== undefined && <ButtonLink href={rotate} text={keyWords.rotate.name} />}
      {!found.license.isLive && <ButtonLink href={`${address}/clock`} text={clockWords.name} />}
      {plainTransitions
        .filter((one) => transitions[one][status] !== undefined)
        .map((one) => (
          <ButtonLink
            key={one}
            href={`${address}/${one}`}
            text={words.acts[one].name}
            look={one === 'reinstate' ? 'primary' : one === 'revoke' ? 'danger' : undefined}
          />
        ))}
    </div>
  );
}

/** The page that replaces the key, if the license can have another one. */
function rotatePath({ license }: ShownLicense, address: string, now: Instant): string | undefined {
  return ownStatusOf(license, now) === 'revoked' ? undefined : `${address}/rotate`;
}

/** Says that the payment of the license withholds it, and leads to the order. */
function withheldPart({ license }: ShownLicense, order: Order | undefined, root: string): VNode {
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

/** The changes of a license, newest first. */
function HistoryPart({
  history: { entries, next },
  isFirst,
  address,
  me,
}: {
  readonly history: LicenseHistory;
  readonly isFirst: boolean;
  /** The address of the license. */
  readonly address: string;
  /** The e-mail address of the reader. */
  readonly me: string;
}): VNode {
  return (
    <section id="history">
      <PartHead title={names.title} />
      {entries.length === 0 ? (
        <p class="blank">{isFirst ? names.none : names.noneOlder}</p>
      ) : (
        <History words={names} entries={entries} me={me} details={(event) => <EventFacts event={event} />} />
      )}
      <Paging
        label={names.pages}
        back={isFirst ? undefined : { href: `${address}#history`, title: names.newest }}
        on={next === null ? undefined : { href: `${address}?before=${next}#history`, title: names.older }}
      />
    </section>
  );
}
