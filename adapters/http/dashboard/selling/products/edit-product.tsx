import { isRefused } from '../../../../../core/refusal.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { form, receiving } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn } from '../selling-page.tsx';
import { productFields, toListing, toOffer, valuesOf, wrongPattern } from './product-fields.ts';
import { ProductFields } from './product-form.tsx';
import { ProductFrame } from './product-frame.tsx';
import { base, type ProductTools, pathOf, productIn } from './product-tools.ts';

const { sellingProducts: words } = texts;

/** The form that changes the listing and the license terms. It has no files, but a text that may be long. */
export function editProductPages(tools: DashboardTools, own: Pick<ProductTools, 'products'>): Endpoint[] {
  return form(tools, {
    id: 'edit-product',
    path: `${base}/:id/edit`,
    audience: 'user',
    fields: productFields({}),
    receive: receiving(tools, {}),
    initial: async (visit) => valuesOf(await productIn(own, visit)),
    async render(visit, state) {
      const product = await productIn(own, visit);
      return (
        <ProductFrame visit={visit} title={words.editTitle} of={product} scripts={['preview.js']}>
          <Form state={state} submit={words.save} cancel={`${visit.frame.root}${pathOf(visit, product)}`} hasFiles>
            <ProductFields visit={visit} state={state} isOpen />
          </Form>
        </ProductFrame>
      );
    },
    async act(visit, input) {
      const product = await productIn(own, visit);
      const edit = { ...toListing(input), ...toOffer(input) };
      const changed = orFail(await own.products.change(String(product.id), edit, sellerIn(visit)));
      return isRefused(changed) ? changed : goTo(pathOf(visit, product), { notice: 'product_saved' });
    },
    refusals: {
      product_archived: { text: words.archivedAlready },
      invalid_terms: wrongPattern,
    },
  });
}
