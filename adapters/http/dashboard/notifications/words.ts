import type { Notice } from '../../../../core/notifications/notification.ts';
import { moneyOf } from '../../ui/prices.ts';

export const words = {
  none: 'No notifications',
  noneAdvice: 'You will find sign-ins from new browsers, API keys and changes to your account here.',
  noneHere: 'No older notifications',
  newest: 'See the newest',
  older: 'Older',
  pages: 'Pages of notifications',
  unread: 'Unread',
  read: 'Mark as read',
  dismiss: 'Dismiss',
  readAll: 'Mark all as read',
  dismissAll: 'Dismiss all',
  /** Names the notification that a button acts on, for screen readers. */
  about: (title: string) => `: ${title}`,
} as const;

/** Returns the text of a notification, and the address where the reader can act on it. */
export function wordsOf(notice: Notice): {
  readonly title: string;
  readonly text: string;
  readonly to: string;
} {
  const security = { to: 'account/security' };
  const plan = { to: 'account' };
  switch (notice.kind) {
    case 'new_sign_in':
      return {
        title: 'Sign-in from a new browser',
        text: `Someone signed in to your account from ${notice.address}. If this was not you, sign that browser out and change your password.`,
        ...security,
      };
    case 'key_made':
      return { title: 'New API key', text: `The API key “${notice.name}” (${keyOf(notice)}) was created.`, ...plan };
    case 'key_revoked':
      return {
        title: 'API key revoked',
        text: `The API key “${notice.name}” (${keyOf(notice)}) was revoked.`,
        ...plan,
      };
    case 'password_changed':
      return {
        title: 'Password changed',
        text: 'Your password was changed. You are signed out of all other browsers.',
        ...security,
      };
    case 'email_changed':
      return {
        title: 'E-mail address changed',
        text: `The e-mail address of your account is now ${notice.email}.`,
        ...security,
      };
    case 'second_factor_changed':
      return { title: 'Two-factor authentication changed', text: secondFactor[notice.change], ...security };
    case 'product_approved':
      return {
        title: 'Product approved',
        text: `“${notice.title}” was approved.${notice.isLive ? ' Everybody can see it now.' : ''}`,
        ...productOf(notice),
      };
    case 'product_waits':
      return {
        title: 'Product waits for approval',
        text: `“${notice.title}” waits for approval by an administrator.`,
        to: `admin/products/${notice.product}`,
      };
    case 'product_rejected':
      return {
        title: 'Product rejected',
        text: `“${notice.title}” was rejected.${notice.reason === '' ? '' : ` Reason: ${notice.reason}`} You can change it and submit it again.`,
        ...productOf(notice),
      };
    case 'product_rated':
      return {
        title: 'New review',
        text: `A buyer gave “${notice.title}” ${notice.stars} of 5 stars.`,
        to: `${productOf(notice).to}/reviews`,
      };
    case 'rating_reported':
      return {
        title: 'Review reported',
        text: `The seller of “${notice.title}” has reported a review.`,
        to: 'admin/moderation/reviews',
      };
    case 'license_leak_suspected':
      return {
        title: 'License key may have leaked',
        text: `${notice.domains} domains on which it is not activated ask again and again with the key ${notice.licenseKey} of “${notice.title}”. Replace the key if it has leaked.`,
        to: `selling/${notice.isLive ? 'live' : 'test'}/licenses/${notice.licenseKey}#strays`,
      };
    case 'order_paid':
      return {
        title: notice.amount === 0 ? 'New free order' : 'New order',
        text: `“${notice.title}” was ${notice.amount === 0 ? 'taken for free' : `sold for ${moneyOf(notice.amount, notice.currency)}`}.`,
        ...orderOf(notice),
      };
    case 'order_waits':
      return {
        title: 'Order waits for its payment',
        text: `“${notice.title}” was ordered for ${moneyOf(notice.amount, notice.currency)}. Mark the order as paid when the money is there.`,
        ...orderOf(notice),
      };
    case 'payment_claimed':
      return {
        title: 'Payment claimed',
        text: `A buyer has signed that ${notice.usdc} USDC without a match are for “${notice.title}”. Decide whether they are.`,
        to: `selling/${notice.isLive ? 'live' : 'test'}/orders/claims/${notice.claim}`,
      };
    case 'order_refunded':
      return {
        title: 'Order refunded',
        text: `${moneyOf(notice.amount, notice.currency)} for “${notice.title}” was refunded.`,
        ...orderOf(notice),
      };
    case 'subscription_cancelled':
      return {
        title: 'Subscription cancelled',
        text: `A subscription of “${notice.title}” was cancelled. It ends with the time that is paid.`,
        ...orderOf(notice),
      };
    case 'subscription_payment_failed':
      return {
        title: 'Payment failed',
        text: `${moneyOf(notice.amount, notice.currency)} for a subscription of “${notice.title}” could not be collected.`,
        ...orderOf(notice),
      };
    case 'order_disputed':
      return { title: 'Payment disputed', text: `“${notice.title}”: ${disputes[notice.dispute]}`, ...orderOf(notice) };
    case 'order_held':
      return {
        title: 'Order held',
        text: `For “${notice.title}”, another amount or currency was paid than agreed. Accept the payment or refund it.`,
        ...orderOf(notice),
      };
    case 'webhook_failed':
      return {
        title: 'Event not delivered',
        text: `An event could not be delivered to ${notice.url}. ${notice.why}`,
        ...webhookOf(notice),
      };
    case 'webhook_off':
      return {
        title: 'Webhook switched off',
        text: `Nothing could be delivered to ${notice.url} for five days. It gets no more events until you switch it on.`,
        ...webhookOf(notice),
      };
    default:
      // During an upgrade, a newer process may have stored a kind that this one does not know.
      notice satisfies never;
      return {
        title: 'News',
        text: 'Open this page again in a few minutes to read it.',
        to: 'account',
      };
  }
}

const secondFactor = {
  on: 'You now need a code from your authenticator app to sign in.',
  off: 'You now sign in with your password alone.',
  codes: 'You have new recovery codes. The old ones no longer work.',
} as const;

const disputes = {
  open: 'the buyer’s bank disputes the payment. The license does not work until the dispute ends.',
  won: 'the dispute ended well for you. The license works again.',
  lost: 'the dispute was lost. The license is revoked.',
} as const;

function orderOf({ order, isLive }: { readonly order: number; readonly isLive: boolean }) {
  return { to: `selling/${isLive ? 'live' : 'test'}/orders/${order}` };
}

function productOf({ product, isLive }: { readonly product: number; readonly isLive: boolean }) {
  return { to: `selling/${isLive ? 'live' : 'test'}/products/${product}` };
}

function webhookOf({ webhook, isLive }: { readonly webhook: number; readonly isLive: boolean }) {
  return { to: `selling/${isLive ? 'live' : 'test'}/webhooks/${webhook}` };
}

function keyOf({ prefix, lastFour }: { readonly prefix: string; readonly lastFour: string }): string {
  return `${prefix}…${lastFour}`;
}
