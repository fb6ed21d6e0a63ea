import type { ComponentChildren, VNode } from 'preact';
import type { Event, EventType } from '../../../../core/events/event.ts';
import type { AuditEntry } from '../../../../core/ports/audit-log.ts';
import { List } from '../../ui/list.tsx';
import { nameOf as readableName } from '../../ui/names.ts';
import { moneyOf } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';

/** The changes in words, and the names of their facts. */
export const eventWords = {
  types: {
    'license.issued': 'License issued',
    'license.imported': 'License imported',
    'license.left_out': 'License left out of an import',
    'license.activated': 'License activated',
    'license.deactivated': 'License deactivated',
    'license.domain_moved': 'Domain moved',
    'license.suspended': 'License suspended',
    'license.reinstated': 'License reinstated',
    'license.revoked': 'License revoked',
    'license.renewed': 'License renewed',
    'license.changed': 'License changed',
    'license.rotated': 'License key replaced',
    'license.leak_suspected': 'Leak of the license key suspected',
    'license.clock_set': 'Test clock set',
    'license.alias_added': 'Alias added',
    'license.alias_removed': 'Alias removed',
    'product.added': 'Product added',
    'product.published': 'Product published',
    'product.approved': 'Product approved',
    'product.rejected': 'Product rejected',
    'product.unlisted': 'Product unlisted',
    'product.relisted': 'Product listed again',
    'product.resubmitted': 'Product submitted again',
    'product.archived': 'Product archived',
    'product.changed': 'Product changed',
    'product.version_added': 'Version of a product added',
    'product.version_deleted': 'Version of a product deleted',
    'product.template_set': 'Template of a product set',
    'product.question_asked': 'Question to the seller asked',
    'rating.written': 'Review written',
    'rating.changed': 'Review changed',
    'rating.withdrawn': 'Review withdrawn',
    'rating.replied': 'Review answered',
    'rating.reported': 'Review reported',
    'rating.hidden': 'Review hidden',
    'rating.shown': 'Reported review kept',
    'template.added': 'Template added',
    'template.updated': 'Template updated',
    'purchase.added': 'Purchase added',
    'order.added': 'Order made',
    'order.paid': 'Order paid',
    'order.refunded': 'Order refunded',
    'order.disputed': 'Payment disputed',
    'order.changed': 'Payment changed',
    'order.refund_asked': 'Refund asked for',
    'order.return_undone': 'Entry of what was sent back undone',
    'order.payment_claimed': 'Payment without a match claimed',
    'order.claim_taken': 'Claimed payment taken',
    'order.claim_rejected': 'Claimed payment rejected',
    'order.accepted': 'Held order accepted',
    'order.letter_sent': 'Mail to the buyer written',
    'order.claimed': 'Order joined an account',
    'order.billing_changed': 'Details on the invoice changed',
    'subscription.started': 'Subscription started',
    'subscription.changed': 'Subscription changed',
    'subscription.payment_failed': 'Payment of the subscription failed',
    'subscription.cancelled': 'Subscription cancelled',
    'subscription.resumed': 'Cancellation taken back',
    'subscription.ended': 'Subscription ended',
    'user.added': 'User added',
    'user.renamed': 'Name changed',
    'user.tier_set': 'Plan set',
    'user.suspended': 'User suspended',
    'user.reinstated': 'User reinstated',
    'user.role_set': 'Role set',
    'user.selling_set': 'Right to sell set',
    'user.seller_page_saved': 'Page of a seller changed',
    'user.invoice_profile_saved': 'Details for invoices changed',
    'user.wallet_proved': 'Address for USDC entered',
    'user.wallet_removed': 'Address for USDC removed',
    'user.licenses_checked': 'File of licenses checked',
    'user.invited': 'User invited',
    'user.signed_in': 'Signed in',
    'user.sessions_ended': 'Signed out',
    'user.password_set': 'Password set',
    'user.password_rehashed': 'Password stored anew',
    'user.email_changed': 'E-mail address changed',
    'user.second_factor_on': 'Two-factor authentication on',
    'user.second_factor_off': 'Two-factor authentication off',
    'user.recovery_codes_made': 'Recovery codes made',
    'key.created': 'API key created',
    'key.rotated': 'API key rotated',
    'key.revoked': 'API key revoked',
    'lease_key.rotated': 'Key of leases replaced',
    'device.approved': 'Program approved',
    'device.denied': 'Program denied',
    'coupon.added': 'Coupon added',
    'coupon.ended': 'Coupon ended',
    'webhook.added': 'Webhook added',
    'webhook.changed': 'Webhook changed',
    'webhook.removed': 'Webhook removed',
    'webhook.secret_rotated': 'Secret of a webhook changed',
    'webhook.secret_shown': 'Secret of a webhook shown',
    'webhook.tested': 'Sample sent to a webhook',
    'webhook.redelivered': 'Event sent again',
    'webhook.replayed': 'Events sent again',
    'mail.tested': 'Test mail sent',
    'mail.retried': 'Mail sent again',
    'setting.changed': 'Setting changed',
  } satisfies Record<EventType, string>,
  /** Facts without a name here are shown under their own name. */
  facts: {
    tier: 'Plan',
    is_mailed: 'By mail',
    which: 'Sessions',
    how: 'By',
    id: 'Number',
    expires_at: 'Expires',
    updates_until: 'Updates until',
    paid_to: 'Paid until',
    is_cancelled: 'Cancelled',
    entitlements: 'Entitlements',
    ends_at: 'The old one ends',
    licenses: 'Licenses',
    faults: 'Faults',
    of_others: 'Keys of others',
    is_import: 'To import it',
    max_domains: 'Domains at most',
    advanced_days: 'Moved forward by days',
    ahead_days: 'Days in all',
    forced: 'Answer',
    new_prefix: 'New key',
    client: 'Program',
    from_sha256: 'From a text with the SHA-256',
    to_sha256: 'To a text with the SHA-256',
  } as Readonly<Record<string, string>>,
  /** Shown instead of a missing value. */
  nothing: 'None',
  /** Values that a program's word does not make clear. */
  values: {
    provider: { test: 'Play money', manual: 'By hand', free: 'Nobody: it was free' },
    which: { own: 'This one', one: 'One', others: 'All others', all: 'All' },
  } as Readonly<Record<string, Readonly<Record<string, string>>>>,
  nothingOf: {
    expires_at: 'Never',
    updates_until: 'For ever',
    entitlements: 'None',
    scopes: 'All',
    forced: 'Normal',
  } as Readonly<Record<string, string>>,
  reason: 'Reason',
  yes: 'Yes',
  no: 'No',
} as const;

/** The words of a history. */
export interface HistoryWords {
  readonly title: string;
  readonly at: string;
  readonly change: string;
  readonly actor: string;
  readonly details: string;
  /** The reader, as actor. */
  readonly you: string;
  /** Actors that are no people. */
  readonly actors: Readonly<Record<string, string>>;
}

/** A table of the changes of one thing. */
export function History({
  words: own,
  entries,
  me,
  details,
}: {
  readonly words: HistoryWords;
  readonly entries: readonly AuditEntry[];
  /** The e-mail address of the reader. */
  readonly me: string;
  details(event: Event): ComponentChildren;
}): VNode {
  const known: Readonly<Record<string, string>> = { ...own.actors, [me]: own.you };
  return (
    <List
      label={own.title}
      columns={[
        { title: own.at, cell: ({ at }) => <Time at={at} /> },
        { title: own.change, cell: ({ type }) => <span class="whole">{eventWords.types[type] ?? type}</span> },
        {
          title: own.actor,
          cell: ({ actor }) => <span class="breakable">{Object.hasOwn(known, actor) ? known[actor] : actor}</span>,
        },
        { title: own.details, cell: (entry) => details(entry) },
      ]}
      rows={entries}
    />
  );
}

/** The largest time that a date can have, in milliseconds. */
const latest = 8.64e15;

/** The data of an event, and the reason if somebody gave one. */
export function EventFacts({ event: { data, reason } }: { readonly event: Event }): VNode | null {
  const facts = Object.entries(data)
    .filter(([name, value]) => !isPlain(name, value, data))
    .map(([name, value]) => [nameOf(name), factOf(name, value, data)] as const);
  return <Details facts={reason === null ? facts : [...facts, [eventWords.reason, reason] as const]} />;
}

/** The facts of an event, without those that are `undefined`. */
export function Details({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}): VNode | null {
  const known = facts.filter(([, value]) => value !== undefined);
  if (known.length === 0) return null;
  return (
    <ul class="event-facts">
      {known.map(([name, value]) => (
        <li key={name}>
          <span class="faint">{name}:</span> <span dir="auto">{value}</span>
        </li>
      ))}
    </ul>
  );
}

function nameOf(name: string): string {
  if (Object.hasOwn(eventWords.facts, name)) return eventWords.facts[name] ?? name;
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The facts that are amounts of money, in the smallest unit. Prices of products are in US dollars. */
const amounts = ['price', 'total', 'refunded', 'amount'];

/** Facts whose values are words of programs, one or several. */
const coded = [
  'state',
  'status',
  'standing',
  'dispute',
  'provider',
  'tier',
  'role',
  'mode',
  'which',
  'how',
  'by',
  'selling',
];
const lists = ['changed', 'fields'];

/** Whether a fact says nothing more: the currency stands beside each amount, and most orders have no refund and no dispute. */
function isPlain(name: string, value: Event['data'][string], data: Event['data']): boolean {
  if (name === 'currency') return amounts.some((amount) => typeof data[amount] === 'number');
  return (name === 'refunded' && value === 0) || (name === 'dispute' && value === null);
}

/** Numbers whose names end with `_at`, `_until` or `_to` are times. */
function factOf(name: string, value: Event['data'][string], data: Event['data']): ComponentChildren {
  if (value === null)
    return Object.hasOwn(eventWords.nothingOf, name) ? eventWords.nothingOf[name] : eventWords.nothing;
  if (typeof value === 'boolean') return value ? eventWords.yes : eventWords.no;
  if (typeof value === 'number' && /_(at|until|to)$/.test(name) && Math.abs(value) <= latest)
    return <Time at={value} />;
  if (typeof value === 'number' && amounts.includes(name)) return moneyOf(value, String(data.currency ?? 'usd'));
  const text = String(value);
  if (coded.includes(name)) return eventWords.values[name]?.[text] ?? readableName(text);
  if (lists.includes(name)) return text.split(/,? /).map(readableName).join(', ');
  return text;
}
