import type { VNode } from 'preact';
import { isBundle, isOutside, type Order } from '../../../../core/purchases/order.ts';
import type { OrderAct } from '../../../../core/purchases/order-acts.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { words } from './words.ts';

/** Each act on pages: the end of its path, and its button. */
export const actPages = {
  accept: { path: 'accept', look: 'primary' },
  pay: { path: 'paid', look: 'primary' },
  return: { path: 'return', look: 'danger' },
  refund: { path: 'refund', look: 'danger' },
  cancel: { path: 'cancel', look: 'danger' },
} as const satisfies Record<OrderAct, { readonly path: string; readonly look: 'primary' | 'danger' }>;

/** The buttons of an order, which lead to its acts. */
export function ActButtons({
  order,
  acts,
  address,
}: {
  readonly order: Order;
  /** Those that are possible. */
  readonly acts: readonly OrderAct[];
  /** The address of the order. */
  readonly address: string;
}): VNode {
  return (
    <div class="choices">
      {acts.map((act) => (
        <ButtonLink
          key={act}
          href={`${address}/${actPages[act].path}`}
          text={act === 'refund' && order.provider === 'usdc' ? words.refund.byHand : words[act].name}
          look={actPages[act].look}
        />
      ))}
      {isBundle(order) && acts.includes('refund') && (
        <ButtonLink href={`${address}/refund-products`} text={words.parts.refund} look="danger" />
      )}
      {isOutside(order.provider) && order.paymentId !== null && (
        <ButtonForm action={`${address}/look`} label={words.look} look="" />
      )}
    </div>
  );
}
