import type { BillingDetails } from '../invoices/billing-details.ts';
import type { Provider } from './order.ts';

/** A buyer's request for a new order. */
export interface Wish {
  /** Id or slug. */
  readonly product: string;
  /** The slug of an offer. `undefined`: see `offeredAs`. */
  readonly offer?: string | undefined;
  /** `undefined`: the base currency. Refused if the seller has set no price in it. */
  readonly currency?: string | undefined;
  /** In its smallest unit, before a coupon: only if buyers choose the price. `undefined`: the suggested one. */
  readonly amount?: number | undefined;
  /** In lower case. Only of guests: members get the one of their account. */
  readonly email: string;
  readonly name: string | null;
  /** The company that is named on the invoice. */
  readonly billing?: BillingDetails | null | undefined;
  /** `undefined`: the usual way. */
  readonly way?: Provider | undefined;
  /** The code of a coupon, as it was typed. */
  readonly coupon?: string | undefined;
  /** The network address that the order comes from. */
  readonly client: string;
  /** The token of the order that this browser made before. See `isPaidInstead`: it is cancelled then. */
  readonly earlier?: string | undefined;
}
