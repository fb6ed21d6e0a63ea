import escapeHtml from 'escape-html';
import type { Billing } from './billing.ts';

/** Does what a button says, if one was pressed, and returns the title and the content of the page afterwards. */
type Page = (act: string | null) => [title: string, body: string];

/**
 * Returns the page at an address: the customer portal (`/p/session/<id>`), which changes the card, cancels and resumes, or
 * that of an invoice (`/i/<id>`), which pays it. `undefined` for other addresses.
 */
export function billingPage(billing: Billing, address: string): Page | undefined {
  const [, portal] = /^\/p\/session\/(\w+)$/.exec(address) ?? [];
  const [, invoice] = /^\/i\/(\w+)$/.exec(address) ?? [];
  if (portal !== undefined && billing.portal(portal) !== undefined) return portalPage(billing, portal);
  return invoice !== undefined && billing.invoices.has(invoice) ? invoicePage(billing, invoice) : undefined;
}

function portalPage(billing: Billing, portal: string): Page {
  return (act) => {
    const session = billing.portal(portal);
    if (session === undefined) throw new Error('The page has a session.');
    const { subscription, returnTo } = session;
    const { id } = subscription;
    if (act === 'card') billing.changeCard(id);
    if (act === 'cancel') billing.update(id, { cancel_at_period_end: 'true' });
    if (act === 'resume') billing.update(id, { cancel_at_period_end: 'false' });
    const note = act === 'card' ? '<p role="status">Your card was changed.</p>' : '';
    const standing = subscription.cancel_at_period_end ? 'ends with its period' : subscription.status;
    const change = subscription.cancel_at_period_end
      ? button('resume', "Don't cancel subscription")
      : button('cancel', 'Cancel subscription');
    const buttons = subscription.status === 'canceled' ? '' : `${button('card', 'Change card')}\n${change}`;
    const invoices = [...billing.invoices.values()]
      .filter(({ parent }) => parent?.subscription_details?.subscription === id)
      .map(
        ({ id: one, total, currency, status }) => `<li><a href="/i/${one}">${total} ${currency}: ${status}</a></li>`,
      );
    const back = returnTo === null ? '' : `<p><a href="${escapeHtml(returnTo)}">Back</a></p>`;
    return [
      'Cards and invoices',
      `${back}${note}<p>The subscription: ${standing}</p>${form(buttons)}<ul>${invoices.join('\n')}</ul>`,
    ];
  };
}

function invoicePage(billing: Billing, id: string): Page {
  return (act) => {
    if (act === 'pay' && billing.invoice(id).status === 'open') billing.pay(id);
    const note = act === 'decline' ? '<p role="alert">Your card was declined.</p>' : '';
    const { total, currency, status } = billing.invoice(id);
    const buttons = `${button('pay', 'Pay')}\n${button('decline', 'Pay with a card that is declined')}`;
    const body = status === 'open' ? form(buttons) : '';
    return ['An imitation of an invoice', `${note}<p>${total} ${currency}: ${status}</p>${body}`];
  };
}

function button(act: string, label: string): string {
  return `<button name="act" value="${act}">${escapeHtml(label)}</button>`;
}

function form(buttons: string): string {
  return `<form method="post">${buttons}</form>`;
}
