import { z } from 'zod';
import { longestRejectionReason } from '../../../../core/marketplace/product-transitions.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaField, Form } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo } from '../answer.ts';
import { required } from '../fields.ts';
import { click, form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorOf, actorWith } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { allProducts, type ModerationTools, pathOf, productIn, queue } from './moderation-tools.ts';
import { ModerationFrame } from './one-product.tsx';

const { moderation: words } = texts;

/** The decisions about a product. Each leads back to the queue. */
export function decisionPages(tools: DashboardTools, own: ModerationTools): Endpoint[] {
  return [
    click(tools, {
      id: 'admin-approve-product',
      path: `/${allProducts}/:id/approve`,
      audience: 'products:moderate',
      async act(visit) {
        const { id } = await productIn(own, visit);
        // What the moderator has not seen is not approved, such as a zip that was uploaded meanwhile.
        const seenAt = /^\d{1,15}$/.test(visit.query.seen ?? '') ? Number(visit.query.seen) : undefined;
        const product = orFail(await own.administration.change(String(id), 'approve', actorOf(visit), seenAt));
        return isRefused(product) ? product : goTo(queue, { notice: 'product_approved' });
      },
      refusals: { transition_not_allowed: words.changedMeanwhile },
    }),

    ...form(tools, {
      id: 'admin-reject-product',
      path: `/${allProducts}/:id/reject`,
      audience: 'products:moderate',
      fields: z.object({ reason: required(longestRejectionReason, words.noReason) }),
      async render(visit, state) {
        const product = await productIn(own, visit);
        return (
          <ModerationFrame visit={visit} product={product} title={words.rejectTitle}>
            <p class="intro">{words.rejectLead}</p>
            <Form
              state={state}
              submit={words.rejectSubmit}
              cancel={`${visit.frame.root}${pathOf(product)}`}
              isDangerous
            >
              <AreaField
                state={state}
                name="reason"
                label={words.rejectReason}
                hint={words.rejectReasonHint}
                rows={6}
              />
            </Form>
          </ModerationFrame>
        );
      },
      async act(visit, { reason }) {
        const { id } = await productIn(own, visit);
        const product = orFail(await own.administration.change(String(id), 'reject', actorWith(visit, reason)));
        return isRefused(product) ? product : goTo(queue, { notice: 'product_rejected' });
      },
      refusals: { transition_not_allowed: { text: words.changedMeanwhile } },
    }),
  ];
}
