import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { Form } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo } from '../answer.ts';
import { hostIn, MoveFields, moveRefusals, newHost, overlaps } from '../domain-form.tsx';
import { oneOf } from '../fields.ts';
import { form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import type { DashboardTools } from '../tools.ts';
import { type BuyingTools, orderIn, pathOf } from './buying-tools.ts';
import { OrderFrame } from './order-frame.tsx';

const { domains: words } = texts.sellingLicenses;

/** The pages on which a buyer moves a domain of the license, and removes it. */
export function buyerDomainPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const path = '/orders/:token/domains/:domain';
  const back = '#domains';
  return [
    ...form(tools, {
      id: 'order-domain-move',
      path: `${path}/move`,
      audience: 'anybody',
      fields: z.object({ to: newHost, overlap: oneOf(overlaps, words.move.choose) }),
      initial: () => ({ overlap: '24' }),
      async render(visit, state) {
        const order = await orderIn(own, visit);
        const from = hostIn(visit);
        return (
          <OrderFrame visit={visit} order={order} title={words.move.title(from)}>
            <div class="intro">
              <p>{words.move.lead(from)}</p>
            </div>
            <Form state={state} submit={words.move.submit} cancel={`${visit.frame.root}${pathOf(order)}${back}`}>
              <MoveFields state={state} from={from} />
            </Form>
          </OrderFrame>
        );
      },
      async act(visit, { to, overlap }) {
        const order = await orderIn(own, visit);
        const moved = orFail(
          await own.licenses.move(order, { from: hostIn(visit), to, overlapHours: Number(overlap) }),
        );
        return isRefused(moved) ? moved : goTo(pathOf(order), { notice: 'domain_moved' });
      },
      refusals: moveRefusals,
    }),

    ...form(tools, {
      id: 'order-domain-remove',
      path: `${path}/remove`,
      audience: 'anybody',
      fields: z.object({}),
      async render(visit, state) {
        const order = await orderIn(own, visit);
        const domain = hostIn(visit);
        const license = await own.licenses.show(order);
        const from = license?.domains.find(({ movedTo }) => movedTo === domain);
        return (
          <OrderFrame visit={visit} order={order} title={words.remove.title(domain)}>
            <div class="intro">
              <p>{words.remove.lead(domain)}</p>
              {from && <p>{words.remove.both(from.domain)}</p>}
            </div>
            <Form
              state={state}
              submit={words.remove.submit}
              cancel={`${visit.frame.root}${pathOf(order)}${back}`}
              isDangerous
            />
          </OrderFrame>
        );
      },
      async act(visit) {
        const order = await orderIn(own, visit);
        const removed = orFail(await own.licenses.remove(order, hostIn(visit)));
        return isRefused(removed) ? removed : goTo(pathOf(order), { notice: 'domain_removed' });
      },
      refusals: { domain_not_found: { text: words.gone } },
    }),
  ];
}
