import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import escapeHtml from 'escape-html';
import type { Account } from './account.ts';
import { billingPage } from './billing-pages.ts';
import type { DoubleSession } from './shapes.ts';

/**
 * Returns the page on which buyers pay: `/c/pay/<session>`. Its buttons pay by card, pay by a slow method, decline the
 * card, or go back without paying. See `billing-pages.ts` for those of subscriptions.
 */
export function answerPage(account: Account) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ofBilling = billingPage(account.billing, request.url ?? '');
    if (ofBilling !== undefined) {
      const act = request.method === 'POST' ? new URLSearchParams(await text(request)).get('act') : null;
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page(...ofBilling(act)));
      return;
    }
    const [, id = ''] = /^\/c\/pay\/(\w+)$/.exec(request.url ?? '') ?? [];
    const session = account.sessions.get(id);
    if (session?.status !== 'open') {
      response.writeHead(404, { 'Content-Type': 'text/html; charset=utf-8' }).end(page('This page has expired.', ''));
      return;
    }
    const act = request.method === 'POST' ? new URLSearchParams(await text(request)).get('act') : null;
    if (act === 'pay' || act === 'slow') {
      account.confirm(id, { isSlow: act === 'slow' });
      response.writeHead(303, { Location: session.success_url ?? '' }).end();
      return;
    }
    const html = formOf(session, act === 'decline' ? '<p role="alert">Your card was declined.</p>' : '');
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
  };
}

function formOf(
  { amount_total: total, currency, customer_email: email, cancel_url: cancel }: DoubleSession,
  note: string,
) {
  const buttons = { pay: 'Pay', slow: 'Pay by bank transfer', decline: 'Pay with a card that is declined' };
  const html = Object.entries(buttons).map(([act, label]) => `<button name="act" value="${act}">${label}</button>`);
  const back = cancel === null ? '' : `<p><a href="${escapeHtml(cancel)}">Back</a></p>`;
  const about = `<p>${escapeHtml(`${total} ${currency} for ${email}`)}</p>`;
  return page('An imitation of Stripe', `${note}${about}<form method="post">${html.join('\n')}</form>${back}`);
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
}
