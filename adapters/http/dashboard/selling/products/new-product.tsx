import { isRefused } from '../../../../../core/refusal.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form, HiddenField } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { formId } from '../../fields.ts';
import { form, receiving } from '../../form.ts';
import { newFormId } from '../../once.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { modeIn, sellingPath } from '../selling-page.tsx';
import { FilesAgain, ThumbnailField, thumbnailField, ZipField, zipField } from './files.tsx';
import { newValues, productFields, toListing, toOffer, wrongPattern } from './product-fields.ts';
import { ProductFields } from './product-form.tsx';
import { ProductFrame } from './product-frame.tsx';
import { base, type ProductTools, pathOf } from './product-tools.ts';

const { sellingProducts: words } = texts;

/** The form for a new product. Sending the same form again makes no second product. */
export function newProductPages(
  tools: DashboardTools,
  { marketplace, accounts, once }: Pick<ProductTools, 'marketplace' | 'accounts' | 'once'>,
): Endpoint[] {
  return form(tools, {
    id: 'new-product',
    path: `${base}/new`,
    audience: 'user',
    fields: productFields({ once: formId }),
    receive: receiving(tools, { ...zipField, ...thumbnailField }),
    initial: () => newValues,
    render: (visit, state) => (
      <ProductFrame visit={visit} title={words.newTitle} scripts={['preview.js', 'upload.js']}>
        <p class="intro">{modeIn(visit) === 'live' ? words.newLead : words.newTestLead}</p>
        <Form
          state={state}
          submit={words.submit}
          cancel={`${visit.frame.root}${sellingPath(visit, 'products')}`}
          hasFiles
        >
          <HiddenField name="once" value={newFormId()} />
          <ProductFields visit={visit} state={state}>
            <h2>{words.files}</h2>
            <FilesAgain state={state} />
            <ZipField state={state} />
            <ThumbnailField state={state} />
          </ProductFields>
        </Form>
      </ProductFrame>
    ),
    async act(visit, { once: id, ...input }, { product_zip: zip, thumbnail }) {
      const mode = modeIn(visit);
      const user = orFail(await accounts.find(String(visit.me.login.id)));
      if (zip === undefined || thumbnail === undefined) throw new Error('A form without its files passed the checks.');
      const made = await once(`${user.id}:new-product`, id, () =>
        marketplace.publishOffer({ user, mode }, { ...toListing(input), ...toOffer(input) }, zip, thumbnail),
      );
      if (made === 'already_sent') return goTo(sellingPath(visit, 'products'), { notice: 'product_sent_before' });
      return isRefused(made) ? made : goTo(pathOf(visit, made), { notice: 'product_submitted' });
    },
    refusals: {
      quota_exceeded: { field: 'product_zip', text: ({ detail }) => detail ?? '' },
      invalid_terms: wrongPattern,
    },
  });
}
