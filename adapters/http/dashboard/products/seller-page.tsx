import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import { sellerPageLimits } from '../../../../core/sellers/seller-page.ts';
import type { SellerPages } from '../../../../core/sellers/seller-pages.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { AreaField, Form, TextField } from '../../ui/form.tsx';
import { goTo } from '../kit/answer.ts';
import { optional, optionalText, required } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { SellingPage, sellingPath } from '../kit/selling.tsx';
import { words } from './words.ts';

/** The words of the form for the seller's own public page. */
export const sellerPageWords = {
  title: 'Your seller page',
  lead: 'Everybody sees it, with all your products for sale. The pages of your products lead there.',
  see: 'See the page',
  name: 'Name',
  nameHint: 'Yours, or that of your company.',
  noName: 'Enter a name.',
  slug: 'Address',
  slugHint: (before: string) =>
    `The end of its address, after ${before}: small letters, digits and hyphens, such as lovelace-labs.`,
  wrongSlug: 'Use small letters, digits and single hyphens, with at least one letter, and at most 40 characters.',
  takenSlug: 'Another seller has this address. Choose another one.',
  about: 'About you',
  aboutHint: 'Markdown, as in descriptions of products: who you are, and links to your other pages.',
};
const names = sellerPageWords;

/** The form for the seller's own public page. */
export function sellerPageForm(
  tools: DashboardTools,
  { sellers, baseUrl }: { readonly sellers: Pick<SellerPages, 'own' | 'save'>; readonly baseUrl: string },
): Endpoint[] {
  return form(tools, {
    id: 'own-seller-page',
    path: `/${areas.selling.products}/seller-page`,
    audience: 'user',
    fields: z.object({
      name: required(sellerPageLimits.name, names.noName),
      slug: optionalText.transform((text) => text.toLowerCase()),
      about: optional(sellerPageLimits.about),
    }),
    async initial({ me }) {
      const page = await sellers.own(me);
      return { name: page?.name ?? me.login.name, slug: page?.slug ?? '', about: page?.about ?? '' };
    },
    edits: [],
    async render(visit, state) {
      const page = await sellers.own(visit.me);
      const { root } = visit.frame;
      return (
        <SellingPage
          visit={visit}
          at="products"
          isBelow
          title={names.title}
          actions={page && <ButtonLink href={`${root}sellers/${page.slug}`} text={names.see} />}
        >
          <p class="intro">{names.lead}</p>
          <Form state={state} submit={words.save} cancel={`${root}${sellingPath(visit, 'products')}`}>
            <TextField name="name" label={names.name} hint={names.nameHint} />
            <TextField name="slug" label={names.slug} hint={names.slugHint(`${baseUrl}/sellers/`)} isCode />
            <AreaField name="about" label={names.about} hint={names.aboutHint} rows={8} />
          </Form>
        </SellingPage>
      );
    },
    async act(visit, page) {
      const saved = await sellers.save(visit.me, page, await sellers.own(visit.me));
      return isRefused(saved) ? saved : goTo(`sellers/${saved.slug}`);
    },
    refusals: {
      slug_invalid: { field: 'slug', text: names.wrongSlug },
      slug_taken: { field: 'slug', text: names.takenSlug },
    },
  });
}
