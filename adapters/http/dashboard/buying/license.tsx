import type { VNode } from 'preact';
import { z } from 'zod';
import { type Activation, shownDomains } from '../../../../core/licensing/license.ts';
import { canBeProven } from '../../../../core/licensing/prove.ts';
import type { BoughtLicense } from '../../../../core/purchases/bought-license.ts';
import { type Order, wasPaid } from '../../../../core/purchases/order.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonForm, Form } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../kit/answer.ts';
import { oneOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { words as shared } from '../licenses/domain-words.ts';
import { Host, hostIn, MoveFields, moveRefusals, newHost, overlaps } from '../licenses/domains.tsx';
import { words as keyWords } from '../licenses/key-words.ts';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';
import { words as proveWords } from './prove-words.ts';
import { TryKey } from './try-part.tsx';
import { words } from './words.ts';

const { domains: ownDomains, order: orderWords } = words;

interface Props {
  readonly order: Order;
  readonly license: BoughtLicense;
  readonly root: string;
}

/** The license key, to copy, with a button that sends it again if this site sends mails. */
export function KeyPart({
  order,
  license,
  root,
  sendsMail,
  licenseApi,
}: Props & {
  readonly sendsMail: boolean;
  /** The address of the license API. */
  readonly licenseApi: string;
}): VNode {
  return (
    <section class="panel" aria-labelledby="key-title">
      <h2 id="key-title">{orderWords.keyTitle}</h2>
      <p class="lead">{license.status === 'active' ? orderWords.keyLead : orderWords.keyDead}</p>
      <Secret id="key" label={orderWords.key} value={license.license.key} />
      {license.status === 'active' && license.rotationsPerYear > 0 && (
        <p>
          <a href={`${root}${pathOf(order)}/key`}>{keyWords.rotate.name}</a>
        </p>
      )}
      {license.status === 'active' && <TryKey license={license} licenseApi={licenseApi} root={root} />}
      {sendsMail && wasPaid(order) && (
        <div class="choices">
          <ButtonForm action={`${root}${pathOf(order)}/send`} label={orderWords.sendAgain} />
          <span class="faint breakable">{orderWords.sentTo(order.buyer.email)}</span>
        </div>
      )}
    </section>
  );
}

/** The domains on which the key is in use. Those that take no slot are marked. */
export function DomainsPart({ order, license: bought, root }: Props): VNode {
  const { license, domains, status, hosts, keyRules, movesPerMonth, movesLeft } = bought;
  const isActive = status === 'active';
  const canMove = isActive && movesLeft > 0;
  const address = (one: Activation, act: 'move' | 'prove' | 'remove') =>
    `${root}${pathOf(order)}/domains/${encodeURIComponent(one.domain)}/${act}`;
  const columns: readonly Column<Activation>[] = [
    { title: shared.domain, cell: (one) => <Host one={one} /> },
    { title: shared.activated, cell: ({ activatedAt }) => <Time at={activatedAt} /> },
    {
      title: shared.acts,
      isTitleUnseen: true,
      cell: (one) => (
        <RowMenu
          id={`acts-${one.domain}`}
          about={one.domain}
          acts={[
            one.endsAt === null && canBeProven(one, keyRules) && { href: address(one, 'prove'), text: proveWords.name },
            canMove && one.endsAt === null && { href: address(one, 'move'), text: shared.move.name },
            { href: address(one, 'remove'), text: shared.remove.name, isDanger: true },
          ]}
        />
      ),
    },
  ];
  return (
    <section id="domains">
      <PartHead
        title={ownDomains.title}
        lead={
          <>
            {ownDomains.used(license.domainsUsed, license.maxDomains)}{' '}
            {domains.length < license.domainsUsed && `${shared.newest(shownDomains)} `}
            {isActive ? ownDomains.movesLeft(movesLeft, movesPerMonth) : domains.length > 0 && ownDomains.inactive}
          </>
        }
      />
      {domains.length === 0 ? (
        <p class="blank">{isActive ? ownDomains.none : ownDomains.noneInactive}</p>
      ) : (
        <List label={ownDomains.title} columns={columns} rows={domains} />
      )}
      <p class="hint">{ownDomains.counting(hosts)}</p>
      {keyRules.domainProof !== 'never' && <p class="hint">{proveWords.policies[keyRules.domainProof]}</p>}
    </section>
  );
}

/** The pages on which a buyer moves a domain of the license, and removes it. */
export function buyerDomainPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const path = '/orders/:token/domains/:domain';
  const back = '#domains';
  return [
    ...form(tools, {
      id: 'order-domain-move',
      path: `${path}/move`,
      audience: 'anybody',
      fields: z.object({ to: newHost, overlap: oneOf(overlaps, shared.move.choose) }),
      initial: () => ({ overlap: '24' }),
      async render(visit, state) {
        const order = await orderIn(own, visit);
        const from = hostIn(visit);
        return (
          <OrderFrame visit={visit} order={order} title={shared.move.title(from)}>
            <div class="intro">
              <p>{shared.move.lead(from)}</p>
            </div>
            <Form state={state} submit={shared.move.submit} cancel={`${visit.frame.root}${pathOf(order)}${back}`}>
              <MoveFields from={from} />
            </Form>
          </OrderFrame>
        );
      },
      async act(visit, { to, overlap }) {
        const order = await orderIn(own, visit);
        const moved = orFail(
          await own.licenses.move(order, { from: hostIn(visit), to, overlapHours: Number(overlap) }),
        );
        return isRefused(moved) ? moved : goTo(pathOf(order), { notice: 'domain_moved' });
      },
      refusals: moveRefusals,
    }),

    ...form(tools, {
      id: 'order-domain-remove',
      path: `${path}/remove`,
      audience: 'anybody',
      fields: z.object({}),
      async render(visit, state) {
        const order = await orderIn(own, visit);
        const domain = hostIn(visit);
        const license = await own.licenses.show(order);
        const from = license?.domains.find(({ movedTo }) => movedTo === domain);
        return (
          <OrderFrame visit={visit} order={order} title={shared.remove.title(domain)}>
            <div class="intro">
              <p>{shared.remove.lead(domain)}</p>
              {from && <p>{shared.remove.both(from.domain)}</p>}
            </div>
            <Form
              state={state}
              submit={shared.remove.submit}
              cancel={`${visit.frame.root}${pathOf(order)}${back}`}
              isDangerous
            />
          </OrderFrame>
        );
      },
      async act(visit) {
        const order = await orderIn(own, visit);
        const removed = orFail(await own.licenses.remove(order, hostIn(visit)));
        return isRefused(removed) ? removed : goTo(pathOf(order), { notice: 'domain_removed' });
      },
      refusals: { domain_not_found: { text: shared.gone } },
    }),
  ];
}
