import type { VNode } from 'preact';
import type { Activation } from '../../../../core/licensing/license.ts';
import { shownDomains } from '../../../../core/licensing/license.ts';
import type { BoughtLicense } from '../../../../core/purchases/bought-license.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { ButtonForm } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { Secret } from '../../ui/secret.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { Host } from '../host.tsx';
import { pathOf } from './buying-tools.ts';

const { domains: words, order: orderWords } = texts.buying;
const { domains: shared } = texts.sellingLicenses;

interface Props {
  readonly order: Order;
  readonly license: BoughtLicense;
  readonly root: string;
}

/** The license key, to copy, with a button that sends it again. */
export function KeyPart({ order, license, root }: Props): VNode {
  return (
    <section class="panel" aria-labelledby="key-title">
      <h2 id="key-title">{orderWords.keyTitle}</h2>
      <p class="lead">{license.status === 'active' ? orderWords.keyLead : orderWords.keyDead}</p>
      <Secret id="key" label={orderWords.key} value={license.license.key} />
      <div class="choices">
        <ButtonForm action={`${root}${pathOf(order)}/send`} label={orderWords.sendAgain} />
        <span class="faint breakable">{orderWords.sentTo(order.buyer.email)}</span>
      </div>
    </section>
  );
}

/** The domains on which the key is in use. Those that take no slot are marked. */
export function DomainsPart({ order, license: bought, root }: Props): VNode {
  const { license, domains, status, movesPerMonth, movesLeft } = bought;
  const isActive = status === 'active';
  const canMove = isActive && movesLeft > 0;
  const address = (one: Activation, act: 'move' | 'remove') =>
    `${root}${pathOf(order)}/domains/${encodeURIComponent(one.domain)}/${act}`;
  const columns: readonly Column<Activation>[] = [
    { title: shared.domain, cell: (one) => <Host one={one} /> },
    { title: shared.activated, cell: ({ activatedAt }) => <Time at={activatedAt} /> },
    {
      title: shared.acts,
      isTitleUnseen: true,
      cell: (one) => (
        <span class="row-acts">
          {canMove && one.endsAt === null && (
            <a class="button small" href={address(one, 'move')}>
              {shared.move.name}
              <span class="unseen"> {one.domain}</span>
            </a>
          )}
          <a class="button small danger" href={address(one, 'remove')}>
            {shared.remove.name}
            <span class="unseen"> {one.domain}</span>
          </a>
        </span>
      ),
    },
  ];
  return (
    <section id="domains">
      <div class="part">
        <div>
          <h2>{words.title}</h2>
          <p class="lead">
            {words.used(license.domainsUsed, license.maxDomains)}{' '}
            {domains.length < license.domainsUsed && `${shared.newest(shownDomains)} `}
            {isActive ? words.movesLeft(movesLeft, movesPerMonth) : domains.length > 0 && words.inactive}
          </p>
        </div>
      </div>
      {domains.length === 0 ? (
        <p class="blank">{isActive ? words.none : words.noneInactive}</p>
      ) : (
        <List label={words.title} columns={columns} rows={domains} keyOf={({ domain }) => domain} />
      )}
    </section>
  );
}
