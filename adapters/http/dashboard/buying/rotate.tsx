import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { Form } from '../../ui/form.tsx';
import { goTo } from '../kit/answer.ts';
import { oneOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { words as shared } from '../licenses/key-words.ts';
import { keyOverlaps, OverlapField, rotateRefusals } from '../licenses/license-keys.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';

/** The page on which a buyer replaces the key of the license. */
export function buyerKeyPage(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return form(tools, {
    id: 'order-key-rotate',
    path: '/orders/:token/key',
    audience: 'anybody',
    fields: z.object({ overlap: oneOf(keyOverlaps, shared.rotate.choose) }),
    initial: () => ({ overlap: '14' }),
    async render(visit, state) {
      const order = await orderIn(own, visit);
      return (
        <OrderFrame visit={visit} order={order} title={shared.rotate.title}>
          <div class="intro">
            <p>{shared.rotate.buyerLead}</p>
          </div>
          <Form state={state} submit={shared.rotate.submit} cancel={`${visit.frame.root}${pathOf(order)}`} isDangerous>
            <OverlapField />
          </Form>
        </OrderFrame>
      );
    },
    async act(visit, { overlap }) {
      const order = await orderIn(own, visit);
      const rotated = orFail(await own.rotateKey(order, Number(overlap)));
      return isRefused(rotated) ? rotated : goTo(pathOf(order), { notice: 'license_key_replaced' });
    },
    refusals: rotateRefusals,
  });
}
