import type Stripe from 'stripe';
import type { Account } from './account.ts';
import { checkNames, type Given, textAt, textsAt } from './form.ts';
import { ApiTrouble, missing } from './trouble.ts';

interface Listed {
  readonly id: string;
  readonly payment_intent?: string | null;
  readonly subscription?: string | null;
  /** Only of invoices. */
  readonly parent?: Stripe.Invoice.Parent | null;
  readonly created: number;
}

/** Handles the calls of the API: returns the object, or throws an `ApiTrouble`. Returns `undefined` for other paths. */
export function answerCall(account: Account, method: string, path: string, given: Given): object | undefined {
  const { billing } = account;
  const [, what = '', id = '', act = ''] =
    /^\/v1\/(checkout\/sessions|refunds|disputes|coupons|subscriptions|invoices|invoice_payments|tax_rates|billing_portal\/\w+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
      path,
    ) ?? [];
  switch (`${method} ${what}${id && '/:id'}${act && `/${act}`}`) {
    case 'POST checkout/sessions':
      return account.createSession(given);
    case 'GET checkout/sessions':
      return page(path, account.sessions, given);
    case 'GET checkout/sessions/:id': {
      const session = account.session(id);
      const expanded = Object.values(textsAt(given, 'expand'));
      const isExpanded = expanded.includes('payment_intent');
      const breakdown = expanded.includes('total_details.breakdown') && account.breakdowns.get(id);
      const intent = isExpanded ? account.intents.get(session.payment_intent ?? '') : undefined;
      return {
        ...session,
        ...(intent && { payment_intent: intent }),
        ...(breakdown && { total_details: { ...session.total_details, breakdown } }),
      };
    }
    case 'POST refunds': {
      checkNames(given, { payment_intent: 'text', amount: 'text', metadata: 'texts', reason: 'text' });
      const amount = textAt(given, 'amount');
      const intent = textAt(given, 'payment_intent') ?? '';
      return account.refund(intent, amount === undefined ? undefined : Number(amount), textsAt(given, 'metadata'));
    }
    case 'GET refunds':
      return page(path, account.refunds, given);
    case 'GET disputes':
      return page(path, account.disputes, given);
    case 'GET coupons':
      return page(path, billing.coupons, given);
    case 'POST coupons':
      return billing.createCoupon(given);
    case 'GET subscriptions':
      return page(path, billing.subscriptions, given);
    case 'GET subscriptions/:id':
      return billing.subscription(id);
    case 'POST subscriptions/:id':
      return billing.update(id, given);
    case 'DELETE subscriptions/:id':
      return billing.cancel(id, given);
    case 'GET invoices':
      return page(path, billing.invoices, given);
    case 'GET invoices/:id':
      return billing.invoice(id);
    case 'GET tax_rates/:id':
      return account.taxRate(id);
    case 'GET invoice_payments':
      return { object: 'list', data: billing.paymentsOf(given), has_more: false, url: path };
    case 'POST billing_portal/sessions':
      return billing.openPortal(given);
    case 'GET billing_portal/configurations':
      return { object: 'list', data: billing.portalConfigurations(given), has_more: false, url: path };
    default:
      return undefined;
  }
}

/** The times of a list, such as https://docs.stripe.com/api/checkout/sessions/list. */
const created = { gte: 'text', lte: 'text' } as const;

/** https://docs.stripe.com/api/pagination */
function page(url: string, objects: Map<string, Listed>, given: Given): object {
  checkNames(given, {
    ...{ payment_intent: 'text', subscription: 'text', created: created, limit: 'text', starting_after: 'text' },
  });
  const from = Number(textAt(given, 'created', 'gte') ?? 0);
  const to = Number(textAt(given, 'created', 'lte') ?? Number.MAX_SAFE_INTEGER);
  const intent = textAt(given, 'payment_intent');
  const subscription = textAt(given, 'subscription');
  const limit = Number(textAt(given, 'limit') ?? 10);
  const after = textAt(given, 'starting_after');
  if (!(limit >= 1 && limit <= 100)) throw new ApiTrouble(400, { message: 'Invalid integer.', param: 'limit' });
  if (after !== undefined && !objects.has(after)) throw missing('object', after);
  const all = [...objects.values()]
    .toReversed()
    .filter((one) => intent === undefined || one.payment_intent === intent)
    .filter((one) => subscription === undefined || subscriptionIn(one) === subscription)
    .filter(({ created: at }) => at >= from && at <= to);
  const rest = after === undefined ? all : all.slice(all.findIndex(({ id }) => id === after) + 1);
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url };
}

function subscriptionIn({ subscription, parent }: Listed): string | null {
  const named = parent?.subscription_details?.subscription;
  return subscription ?? (typeof named === 'string' ? named : null);
}
