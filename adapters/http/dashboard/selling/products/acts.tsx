import { z } from 'zod';
import type { ProductStatus } from '../../../../../core/marketplace/product.ts';
import type { ProductTransition } from '../../../../../core/marketplace/product-transitions.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form } from '../../../ui/form.tsx';
import type { NoticeName } from '../../../ui/texts/notices.ts';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { click, form, receiving } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn } from '../selling-page.tsx';
import { FilesAgain, ThumbnailField, thumbnailField } from './files.tsx';
import { ProductFrame } from './product-frame.tsx';
import { base, type ProductTools, pathOf, productIn } from './product-tools.ts';

const { sellingProducts: words } = texts;

/** The transitions that sellers make with a button. */
const clicked = ['unlist', 'relist', 'resubmit'] as const satisfies ProductTransition[];
/** The message after a button, by the new status. No button leads to `rejected`. */
const notices = {
  pending: 'product_waits',
  published: 'product_relisted',
  unlisted: 'product_unlisted',
  rejected: undefined,
} as const satisfies Record<ProductStatus, NoticeName | undefined>;
const refusals = { forbidden: texts.failure.noRight, transition_not_allowed: words.changedMeanwhile };

/** The buttons of a product, the question before it is archived, and the form for another thumbnail. */
export function productActs(tools: DashboardTools, own: Pick<ProductTools, 'products'>): Endpoint[] {
  return [
    ...clicked.map((transition) =>
      click(tools, {
        id: `${transition}-own-product`,
        path: `${base}/:id/${transition}`,
        audience: 'user',
        async act(visit) {
          const { id } = await productIn(own, visit);
          const product = orFail(await own.products.transit(String(id), transition, sellerIn(visit)));
          if (isRefused(product)) return product;
          return goTo(pathOf(visit, product), { notice: notices[product.status] });
        },
        refusals,
      }),
    ),

    ...form(tools, {
      id: 'archive-own-product',
      path: `${base}/:id/archive`,
      audience: 'user',
      fields: z.object({}),
      async render(visit, state) {
        const product = await productIn(own, visit);
        return (
          <ProductFrame visit={visit} title={words.archiveTitle} of={product}>
            <p class="intro">{words.archiveLead}</p>
            <Form
              state={state}
              submit={words.archiveSubmit}
              cancel={`${visit.frame.root}${pathOf(visit, product)}`}
              isDangerous
            />
          </ProductFrame>
        );
      },
      async act(visit) {
        const { id } = await productIn(own, visit);
        const product = orFail(await own.products.transit(String(id), 'archive', sellerIn(visit)));
        return isRefused(product) ? product : goTo(pathOf(visit, product), { notice: 'product_archived' });
      },
      refusals: { transition_not_allowed: { text: words.changedMeanwhile } },
    }),

    ...form(tools, {
      id: 'new-thumbnail',
      path: `${base}/:id/thumbnail`,
      audience: 'user',
      fields: z.object({}),
      receive: receiving(tools, thumbnailField),
      async render(visit, state) {
        const product = await productIn(own, visit);
        return (
          <ProductFrame visit={visit} title={words.newThumbnail} of={product} scripts={['upload.js']}>
            <Form
              state={state}
              submit={words.uploadThumbnail}
              cancel={`${visit.frame.root}${pathOf(visit, product)}`}
              hasFiles
            >
              <FilesAgain state={state} />
              <ThumbnailField state={state} />
            </Form>
          </ProductFrame>
        );
      },
      async act(visit, _fields, { thumbnail }) {
        const product = await productIn(own, visit);
        if (thumbnail === undefined) throw new Error('A form without its file passed the checks.');
        const changed = orFail(await own.products.setThumbnail(String(product.id), thumbnail, sellerIn(visit)));
        return isRefused(changed) ? changed : goTo(pathOf(visit, product), { notice: 'thumbnail_set' });
      },
      refusals: {
        product_archived: { text: words.archivedAlready },
        quota_exceeded: { field: 'thumbnail', text: ({ detail }) => detail ?? '' },
      },
    }),
  ];
}
