import { isUsable, type Order } from '../../../../core/purchases/order.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import type { Endpoint } from '../../surface.ts';
import { sendPrivateText } from '../../ui/send-page.ts';
import { texts } from '../../ui/texts.ts';
import { goTo, shown } from '../answer.ts';
import { ExplainPart } from '../explain-part.tsx';
import { click } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { admit, page } from '../page.ts';
import { choicesIn } from '../query.ts';
import type { DashboardTools } from '../tools.ts';
import type { Visit } from '../visit.ts';
import { type BuyingTools, orderIn, pathOf, returned, returnTo } from './buying-tools.ts';
import { DownloadsPart, versionsOnPage } from './downloads.tsx';
import { fixFor } from './fixes.ts';
import { DomainsPart, KeyPart } from './license-part.tsx';
import { OrderFacts } from './order-facts.tsx';
import { OrderFrame } from './order-frame.tsx';
import { isAwaited, StatePart } from './state-part.tsx';
import { Waiting } from './waiting.tsx';

const { order: words } = texts.buying;

/** The page of an order for its buyer, with everything that was bought. */
export function orderPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return [
    page(tools, {
      id: 'order',
      path: '/orders/:token',
      audience: 'anybody',
      async show(visit) {
        const { domain, before } = choicesIn(visit, 'domain', 'before');
        const isReturning = visit.query[returned] !== undefined;
        const order = await nowOf(own, await orderIn(own, visit), isReturning);
        const place = /^[1-9]\d{0,8}$/.test(before) ? Number(before) : undefined;
        const [license, explanation, found, template] = await Promise.all([
          own.licenses.show(order),
          domain === '' ? undefined : own.licenses.explain(order, domain),
          own.files.versions(order, { before: place, limit: versionsOnPage }),
          own.files.template(order),
        ]);
        const { root } = visit.frame;
        const isWaiting = isAwaited(order, isReturning);
        const instructions = { instructions: own.instructions, isReturning };
        return shown(
          <OrderFrame
            visit={visit}
            order={order}
            scripts={isWaiting ? ['copy.js', 'wait.js'] : ['copy.js']}
            head={isWaiting && <Waiting />}
            aside={<OrderFacts order={order} license={license} root={root} />}
          >
            <StatePart order={order} root={root} {...instructions} />
            {isWaiting && <p hidden data-wait={`${root}${pathOf(order)}/state`} data-state={order.state} />}
            {license && <KeyPart order={order} license={license} root={root} />}
            {license && isUsable(order) && (
              <DownloadsPart
                order={order}
                found={found}
                template={template}
                isFirst={place === undefined}
                root={root}
              />
            )}
            {license && <DomainsPart order={order} license={license} root={root} />}
            {license && (
              <ExplainPart
                words={texts.buying.explain}
                address={`${root}${pathOf(order)}`}
                typed={domain}
                explanation={explanation}
                fixOf={(rule) => explanation && fixFor(rule, explanation, license.license)}
              />
            )}
          </OrderFrame>,
        );
      },
    }),

    click(tools, {
      id: 'order-send-key',
      path: '/orders/:token/send',
      audience: 'anybody',
      async act(visit: Visit) {
        const order = await orderIn(own, visit);
        const sent = orFail(await own.purchases.sendAgain(order.token));
        return isRefused(sent) ? sent : goTo(pathOf(order), { notice: 'key_sent' });
      },
      refusals: { no_license_yet: words.noLicense, sent_just_now: words.sentJustNow },
    }),

    page(tools, {
      id: 'order-continue',
      path: '/orders/:token/continue',
      audience: 'anybody',
      async show(visit) {
        const order = await orderIn(own, visit);
        return goTo((await own.checkout.goOn(order.token, returnTo(own))) ?? pathOf(order));
      },
    }),

    {
      id: 'order-state',
      method: 'get',
      paths: ['/orders/:token/state'],
      async respond(ctx) {
        const visit = await admit(tools, ctx, 'anybody');
        if (visit) sendPrivateText(ctx, (await orderIn(own, visit)).state);
      },
    },
  ];
}

/**
 * Asks the provider for the state of the payment if the buyer comes from there. If that fails, its event will bring it.
 */
async function nowOf({ purchases }: BuyingTools, order: Order, isReturning: boolean): Promise<Order> {
  if (!isAwaited(order, isReturning)) return order;
  try {
    return await purchases.look(order);
  } catch (error) {
    if (error instanceof Unavailable) return order;
    throw error;
  }
}
