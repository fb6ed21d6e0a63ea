import type { ComponentChildren, VNode } from 'preact';
import { parseId, toAuditId } from '../../../../core/id.ts';
import { isInstance } from '../../../../core/licensing/instance.ts';
import { ownStatusOf, plainTransitions, transitions } from '../../../../core/licensing/license.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isUsable, type Order } from '../../../../core/purchases/order.ts';
import { mainOrderOf } from '../../../../core/purchases/parts.ts';
import type { LicenseHistory } from '../../../../core/selling/finding.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { Paging } from '../../ui/paging.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import { DeployedPart, deployedByBuyer } from '../deployments/of-license.tsx';
import { EventFacts, History } from '../kit/history.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { ownerLink, ownersOf, PersonText } from '../kit/people.tsx';
import { choicesIn } from '../kit/query.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import { LicenseStrays } from '../kit/strays.tsx';
import { type Subject, type SubjectVisit, subjectPage } from '../kit/subject-page.tsx';
import { UsageSection, usageIn } from '../kit/usage.tsx';
import { OrderTable, OrderTag, orderPath } from '../orders/subject.tsx';
import { words as orderWords } from '../orders/words.ts';
import { canBeRenewed, licenseActs } from './acts.tsx';
import { ClockPart, clockActs } from './clock.tsx';
import { words as clockWords } from './clock-words.ts';
import { DomainPart, domainActs } from './domains.tsx';
import { ExplainPart } from './explain.tsx';
import { importPages } from './import.tsx';
import { issuePages } from './issue.tsx';
import { words as keyWords } from './key-words.ts';
import { KeyPart, keyActs } from './license-keys.tsx';
import { licenseBulkPages, licenseLists } from './list.tsx';
import { Expiry, isWithheld, LicenseTags, type LicenseTools, licenseSubject } from './subject.tsx';
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

const { facts: factNames } = words;

/** A license with what the facts show beside it. */
interface Known extends SubjectVisit<ShownLicense> {
  /** The seller, if it is not the reader. */
  readonly owner: ComponentChildren;
  /** The order that it was sold with. */
  readonly order: Order | undefined;
  /** The order of the bundle, if the license was sold as a part of one. */
  readonly bundle: Order | undefined;
}

/** Shows the facts of the license, and the seller's notes on it. */
function LicenseFacts({ one, visit, root, address, owner, order, bundle }: Known): VNode {
  const { license, product, verifications } = one;
  return (
    <div class="boards">
      <section class="panel">
        <h2>{factNames.title}</h2>
        <Facts
          facts={[
            [words.key, <CopiedText key="key" id="key" text={license.key} />],
            [words.product, typed(product.title)],
            owner !== undefined && [words.owner, owner],
            order && [
              factNames.order,
              <a href={`${root}${orderPath(order)}`}>{orderWords.nameOf(mainOrderOf(order))}</a>,
            ],
            bundle && [
              factNames.partOf,
              <a
                key="bundle"
                href={`${root}${sellingPath(visit, `products/${bundle.productId}`)}`}
                dir="auto"
                class="breakable"
              >
                {bundle.agreed.title}
              </a>,
            ],
            [words.domains.title, factNames.domains(license.domainsUsed, license.maxDomains)],
            [factNames.issued, <Time key="issued" at={license.createdAt} />],
            [words.expires, <Expiry key="expires" license={license} />],
            [words.rights.updatesUntil, timeOr(license.updatesUntil, words.rights.allUpdates)],
            [words.rights.entitlements, license.entitlements.join(', ') || words.rights.none],
            [factNames.verifications, readableNumber(verifications.verificationCount)],
            [factNames.lastVerified, timeOr(verifications.lastVerifiedAt, factNames.never)],
          ]}
        />
      </section>
      {notesPart(one, address)}
    </div>
  );
}

function notesPart({ notes: { holder, reference, metadata } }: ShownLicense, address: string): VNode {
  const facts: readonly Fact[] = [
    ...(holder ? [[words.holder, <PersonText key="holder" person={holder} />] as const] : []),
    ...(reference === null ? [] : [[words.reference, <TextFact key="reference" text={reference} />] as const]),
  ];
  const more = Object.entries(metadata);
  return (
    <section class="panel">
      <h2>{factNames.notes}</h2>
      {facts.length + more.length === 0 && <p class="lead">{factNames.noNotes}</p>}
      {facts.length > 0 && <Facts facts={facts} />}
      {more.length > 0 && (
        <>
          <h3>{words.fields.metadata}</h3>
          <dl class="metadata">
            {more.map(([name, text]) => (
              <div key={name}>
                <dt dir="auto">{name}</dt>
                <dd dir="auto">{text}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <p class="choices">
        <ButtonLink href={`${address}/edit`} text={words.edit.name} look="small" />
      </p>
    </section>
  );
}

function TextFact({ text }: { readonly text: string }): VNode {
  return <span dir="auto">{text}</span>;
}
