import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo } from '../answer.ts';
import { optional } from '../fields.ts';
import { form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { allProducts, type ModerationTools, pathOf, productIn } from './moderation-tools.ts';
import { ModerationFrame } from './one-product.tsx';

const { template: words } = texts.moderation;

/** Chooses the template whose download is sold with a product. */
export function templatePages(tools: DashboardTools, own: ModerationTools): Endpoint[] {
  return form(tools, {
    id: 'admin-product-template',
    path: `/${allProducts}/:id/template`,
    audience: 'products:moderate',
    fields: z.object({ template: optional(200) }),
    initial: async (visit) => ({ template: (await own.templates.of(await productIn(own, visit)))?.slug ?? '' }),
    async render(visit, state) {
      const product = await productIn(own, visit);
      return (
        <ModerationFrame visit={visit} product={product} title={words.title}>
          <p class="intro">{words.lead}</p>
          <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${pathOf(product)}`}>
            <TextField state={state} name="template" label={words.field} hint={words.hint} />
          </Form>
        </ModerationFrame>
      );
    },
    async act(visit, { template }) {
      const { id } = await productIn(own, visit);
      const product = orFail(await own.templates.link(String(id), template || null, actorOf(visit)));
      return isRefused(product) ? product : goTo(pathOf(product), { notice: 'product_template_set' });
    },
    refusals: { template_not_found: { field: 'template', text: words.unknown } },
  });
}
