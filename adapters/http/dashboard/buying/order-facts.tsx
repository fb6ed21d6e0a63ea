import type { VNode } from 'preact';
import { invoiceNumberOf } from '../../../../core/invoices/invoice.ts';
import type { License } from '../../../../core/licensing/license.ts';
import type { BoughtLicense } from '../../../../core/purchases/bought-license.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { mainOrderOf } from '../../../../core/purchases/parts.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { CouponText } from '../../ui/coupon-text.tsx';
import type { Frame } from '../../ui/frame.ts';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { Time, timeOr } from '../../ui/time.tsx';
import { billingWords } from './billing.tsx';
import { pathOf } from './frame.tsx';
import { isPaidInPlay } from './state-part.tsx';
import { words } from './words.ts';

const names = {
  ...words.order,
  tax: 'Tax',
  total: 'Total',
  guest: 'An account with this e-mail address shows everything that you bought.',
  makeAccount: 'Create an account',
} as const;

/** The order in short, with its invoice. `isCorrectable`: see `correctableUntil`. */
export function orderFacts(
  order: Order,
  license: BoughtLicense | undefined,
  { root, person }: Frame,
  isPaidAgain: boolean,
  isCorrectable: boolean,
): VNode {
  const { number, createdAt, paidAt, agreed, payment, buyer } = order;
  const { total, refunded, currency } = payment;
  const facts: (Fact | false)[] = [
    [names.number, String(mainOrderOf(order))],
    number !== null && [names.receiptNumber, invoiceNumberOf(order) ?? String(number)],
    agreed.offer !== null && [names.offer, typed(agreed.offer.name)],
    ...sumFacts(order),
    refunded > 0 && [names.refunded, moneyOf(refunded, currency)],
    [names.date, <Time key="date" at={createdAt} />],
    paidAt !== null && total > 0 && [names.paidAt, <Time key="paid" at={paidAt} />],
    agreed.sellerName !== null && [names.seller, typed(agreed.sellerName)],
    [
      names.buyer,
      <span key="buyer">
        {buyer.name !== null && <bdi>{buyer.name}, </bdi>}
        {buyer.email}
      </span>,
    ],
    license !== undefined && [names.status, words.statuses[license.status]],
    license !== undefined && !isPaidAgain && [names.expires, licenseEnd(license.license)],
    // Without files, there are no updates.
    license !== undefined &&
      agreed.version !== null &&
      !isPaidAgain && [names.updates, timeOr(license.license.updatesUntil, names.allUpdates)],
    license !== undefined &&
      license.license.entitlements.length > 0 && [names.entitlements, license.license.entitlements.join(', ')],
  ];
  return (
    <aside aria-labelledby="facts">
      <h2 id="facts">{names.facts}</h2>
      <Facts facts={facts} />
      {person === undefined && buyer.userId === null && (
        <p class="under">
          {names.guest} <a href={`${root}sign-up`}>{names.makeAccount}</a>
        </p>
      )}
      {(number !== null || isCorrectable || isPaidInPlay(order)) && (
        <p class="choices">
          {number !== null && <ButtonLink href={`${root}${pathOf(order)}/invoice`} text={names.receipt} look="small" />}
          {isCorrectable && (
            <ButtonLink
              href={`${root}${pathOf(order)}/billing`}
              text={order.billing === null ? billingWords.add : billingWords.change}
              look="small"
            />
          )}
          {isPaidInPlay(order) && (
            <ButtonLink href={`${root}${pathOf(order)}/pay`} text={names.testPage} look="small" />
          )}
        </p>
      )}
    </aside>
  );
}

/** The price, what changes it, and what was paid. */
function sumFacts({ agreed: { discount }, payment: { subtotal, total, currency } }: Order): (Fact | false)[] {
  const tax = total - subtotal;
  if (discount === undefined && tax === 0) return [[names.price, priceOf(total, currency)]];
  return [
    [names.price, moneyOf(subtotal + (discount?.amount ?? 0), currency)],
    discount !== undefined && [names.coupon, <CouponText key="coupon" discount={discount} currency={currency} />],
    tax > 0 && [names.tax, moneyOf(tax, currency)],
    [names.total, priceOf(total, currency)],
  ];
}

/** When a license ends, in words. */
export function licenseEnd({ expiresAt, daysFromActivation }: Pick<License, 'expiresAt' | 'daysFromActivation'>) {
  if (expiresAt !== null) return <Time at={expiresAt} />;
  return daysFromActivation === null ? names.never : names.fromActivation(daysFromActivation);
}
