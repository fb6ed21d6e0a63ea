import type { OrderId, ProductId, WebhookId } from '../id.ts';
import type { ClaimFacts, LeakFacts, OrderFacts } from '../notifications/notification.ts';
import type { Instant } from '../ports/clock.ts';

interface Named {
  readonly name: string;
}

/** `token` becomes a part of the link. */
interface WithLink {
  readonly token: string;
}

interface AboutProduct {
  readonly product: ProductId;
  readonly title: string;
  readonly isLive: boolean;
}

/** `token` becomes a part of the link to the order. `amount` is in the smallest unit of the currency. */
interface AboutOrder extends Named {
  readonly order: OrderId;
  readonly token: string;
  readonly title: string;
  readonly amount: number;
  readonly currency: string;
}

/** A document about an order. `receipt`: the order was paid before there were invoices. `note`: the number in the address. */
export type OrderDocument =
  | { readonly kind: 'invoice' | 'receipt'; readonly number: string }
  | { readonly kind: 'credit' | 'cancellation'; readonly number: string; readonly note: number };

/** What a license does after a change of its order. */
type LicenseNow = 'works' | 'suspended' | 'revoked' | 'none';

/** What the license of a product in a bundle does now. */
interface LicenseOfPart {
  readonly title: string;
  readonly license: LicenseNow;
}

/** `why`: the fault of the last attempt, in words. */
interface AboutWebhook {
  readonly webhook: WebhookId;
  readonly url: string;
  readonly isLive: boolean;
  readonly why: string;
}

/** Each kind of mail, with the facts that its text needs. A new kind does not compile until it has texts. */
interface LetterFacts {
  /** `actor` asked for it. */
  test: { readonly actor: string };
  'verify-email': Named & WithLink;
  /** For somebody who signed up with, or changed to, an address that has an account. */
  'already-registered': Named;
  'reset-password': Named & WithLink;
  /** For somebody who asked for a new password with an address that has no account. */
  'no-account': object;
  'change-email': Named & WithLink;
  /** To the old address. `email` is the new one. */
  'email-changed': Named & { readonly email: string };
  'password-changed': Named;
  /** To a seller, or to administrators. `address`: `null` if it was removed. `from`: when buyers pay to it, `null` for at once. */
  'wallet-changed': Named & {
    readonly chain: string;
    readonly address: string | null;
    readonly from: Instant | null;
  };
  'second-factor-changed': Named & { readonly change: 'on' | 'off' | 'codes' };
  invite: WithLink;
  /** Somebody signed in with a browser that the user had not used before. */
  'new-sign-in': Named & { readonly browser: string; readonly address: string; readonly at: Instant };
  'key-made': Named & { readonly key: { readonly name: string; readonly prefix: string; readonly lastFour: string } };
  /** To the buyer. `hasDownload`: there are files. `invoice` is `null` for free orders. */
  'order-paid': AboutOrder & {
    readonly licenseKey: string;
    readonly invoice: OrderDocument | null;
    readonly hasDownload: boolean;
    readonly sellerName: string | null;
  };
  /** To the buyer of a bundle: as `order-paid`, with the key of each product. */
  'order-bundle-paid': AboutOrder & {
    readonly keys: readonly { readonly title: string; readonly licenseKey: string }[];
    readonly invoice: OrderDocument | null;
    readonly hasDownload: boolean;
    readonly sellerName: string | null;
  };
  /** To the buyer: a license was renewed or upgraded. Its two ends are `null` for ever. */
  'order-renewed': AboutOrder & {
    readonly licenseKey: string;
    readonly invoice: OrderDocument | null;
    readonly expiresAt: Instant | null;
    readonly updatesUntil: Instant | null;
  };
  /** To those who record payments by hand: an order waits for its payment. */
  'order-waits': Named & OrderFacts & { readonly reference: string };
  /** How to pay, as the operator wrote it. `reference` is what the buyer writes on the transfer. */
  'order-instructions': AboutOrder & {
    readonly isBundle: boolean;
    readonly instructions: string;
    readonly reference: string;
  };
  /** The page of the order says how to pay in USDC, until `waitsUntil`. */
  'order-usdc': AboutOrder & { readonly isBundle: boolean; readonly waitsUntil: Instant };
  /** To the seller, or to administrators: a buyer has signed that a transfer of USDC is for the order. */
  'order-payment-claimed': Named & OrderFacts & ClaimFacts;
  /** To the buyer: what has become of that. `reason`: why it is not taken; `null`: it is. */
  'order-claim-decided': AboutOrder & { readonly usdc: string; readonly reason: string | null };
  /** A payment by a slow method is on its way. */
  'order-processing': AboutOrder;
  /** Another amount was paid than agreed, and somebody checks it. */
  'order-held': AboutOrder;
  /** Nothing was paid for an order whose buyer had begun to pay, or had got the mail that tells how to pay. */
  'order-unpaid': AboutOrder & { readonly why: 'failed' | 'expired' | 'cancelled' | 'taken_back' };
  /** The next payment of a subscription is due until `paidTo`. `instructions`: how to pay by hand, or empty. */
  'order-payment-due': AboutOrder & {
    readonly paidTo: Instant;
    readonly instructions: string;
    readonly reference: string;
  };
  /** A payment of a subscription failed. The license works until `expiresAt`; `null` for ever. */
  'order-payment-failed': AboutOrder & { readonly expiresAt: Instant | null };
  /** A subscription was cancelled. The license works until `expiresAt`; `null` for ever. */
  'order-subscription-cancelled': AboutOrder & { readonly expiresAt: Instant | null };
  /** `license`: what the license does now. `less`: it has less time or other terms, but works as far as it was paid. */
  'order-refunded': AboutOrder & {
    readonly isFull: boolean;
    /** The credit notes for it. */
    readonly notes: readonly OrderDocument[];
    readonly license: LicenseNow | 'less';
    /** Of a bundle: the products that were refunded, or all of them if only an amount was. */
    readonly parts: readonly LicenseOfPart[];
  };
  /** A dispute began, or ended. `license` as in the mail about a refund. */
  'order-disputed': AboutOrder & {
    readonly dispute: 'open' | 'won' | 'lost';
    readonly license: LicenseNow | 'less';
    /** Of a bundle: all of its products. */
    readonly parts: readonly LicenseOfPart[];
    /** The credit notes for it. */
    readonly notes: readonly OrderDocument[];
  };
  /** To the buyer: the license ends in about these days. */
  'order-license-ends': AboutOrder & {
    readonly licenseKey: string;
    readonly expiresAt: Instant;
    readonly days: number;
    readonly sellerName: string | null;
  };
  /** To the buyer: the license has ended. */
  'order-license-ended': AboutOrder & {
    readonly licenseKey: string;
    readonly expiresAt: Instant;
    readonly sellerName: string | null;
  };
  /** To the holder of a license: its key was replaced. `formerEndsAt` is `null` if the former key does not work any more. */
  'license-rotated': Named & {
    readonly title: string;
    readonly licenseKey: string;
    readonly formerKey: string;
    readonly formerEndsAt: Instant | null;
  };
  'license-leak-suspected': Named & LeakFacts;
  'product-approved': Named & AboutProduct;
  /** To administrators: a product waits for approval. */
  'product-waits': Named & AboutProduct;
  /** A question of a visitor. `email` is the address for the answer, if the visitor gave it. */
  'product-question': Named & {
    readonly product: ProductId;
    readonly slug: string;
    readonly title: string;
    readonly question: string;
    readonly email: string | null;
  };
  /** `reason` is empty if the administrator gave none. */
  'product-rejected': Named & AboutProduct & { readonly reason: string };
  /** An event could not be delivered, in spite of all attempts. */
  'webhook-failed': Named & AboutWebhook;
  'webhook-off-soon': Named & AboutWebhook;
  'webhook-off': Named & AboutWebhook;
}

export type MailKind = keyof LetterFacts;
export type LetterOf<Kind extends MailKind> = { readonly kind: Kind } & LetterFacts[Kind];
/** The content of a mail, before it is put into words. */
export type Letter = { [Kind in MailKind]: LetterOf<Kind> }[MailKind];

const longestGreeting = 60;

/**
 * Returns the name for a greeting. Returns an empty text if the name looks like a link or an advertisement: anybody can
 * sign up with the address of a stranger, who then gets a mail with this name.
 */
export function greetable(name: string): string {
  const isName = name.length <= longestGreeting && !/[/@:\\]|\S\.\p{L}{2}/u.test(name);
  return isName ? name.replace(/[\s\p{C}]+/gu, ' ').trim() : '';
}
