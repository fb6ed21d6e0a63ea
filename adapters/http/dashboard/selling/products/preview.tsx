import { listingLimits } from '../../../../../core/marketplace/product.ts';
import type { Endpoint } from '../../../surface.ts';
import { Description, describe } from '../../../ui/description.tsx';
import { texts } from '../../../ui/texts.ts';
import { send, shown } from '../../answer.ts';
import { admit } from '../../page.ts';
import { expectSameSite } from '../../same-site.ts';
import type { DashboardTools } from '../../tools.ts';
import { ProductFrame } from './product-frame.tsx';
import { base, type ProductTools } from './product-tools.ts';

const { sellingProducts: words } = texts;

/** Shows a description as buyers would see it. Stores nothing. Without script, it gets a whole form with its files. */
export function previewEndpoint(tools: DashboardTools, { baseUrl }: Pick<ProductTools, 'baseUrl'>): Endpoint {
  const file = { description: 'Is not used.', isOptional: true };
  const files = {
    product_zip: { kinds: ['zip', 'png', 'jpg'], ...file },
    thumbnail: { kinds: ['zip', 'png', 'jpg'], ...file },
  } as const;
  return {
    id: 'preview-description',
    method: 'post',
    paths: [`${base}/preview`],
    async respond(ctx) {
      expectSameSite(ctx, tools.origin);
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const { fields, discard } = await tools.readForm(ctx, { files });
      try {
        const [text = ''] = [fields.description].flat().map(String);
        // No description is longer. Rendering a longer text could take seconds, and others would wait.
        const described = await describe([...text].slice(0, listingLimits.description).join(''), baseUrl, 1);
        const page = (
          <ProductFrame visit={visit} title={words.previewTitle}>
            {described.html === '' ? <p class="lead">{words.previewEmpty}</p> : <Description described={described} />}
          </ProductFrame>
        );
        send(visit, tools.cookies, shown(page));
      } finally {
        await discard();
      }
    },
  };
}
