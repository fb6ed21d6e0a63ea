import type { ComponentChildren, VNode } from 'preact';
import type { Caller } from '../../../../core/accounts/accounts.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import { categories } from '../../../../core/templates/template.ts';
import type { Asset } from '../../ui/assets.ts';
import { Form, HiddenField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { goTo } from '../kit/answer.ts';
import { newFormId } from '../kit/once.ts';
import { orFail, type SignedInVisit } from '../kit/page.ts';
import { modeIn, SellingPage, sellingPath } from '../kit/selling.tsx';
import { newValues } from './fields.ts';
import { ProductFields } from './product-fields.tsx';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

interface NewListing {
  readonly title: string;
  readonly lead: string;
  readonly scripts: readonly Asset[];
  /** The field for the zip, or for the products of a bundle. */
  readonly zip: ComponentChildren;
  readonly picture?: ComponentChildren;
  readonly isBundle?: boolean;
}

/** Parts of the forms that add a product. Sending the same form again adds nothing more. */
export function createNewListing({ marketplace, accounts, once, storefront }: ProductTools) {
  /** Only people who can sell see the form. */
  const callerIn = async (visit: SignedInVisit): Promise<Caller> => {
    const caller = { user: orFail(await accounts.find(String(visit.me.login.id))), mode: modeIn(visit) };
    orFail(marketplace.mayPublish(caller));
    return caller;
  };
  return {
    callerIn,
    async initial(visit: SignedInVisit) {
      await callerIn(visit);
      return newValues;
    },

    async render(
      visit: SignedInVisit,
      state: FormState,
      { title, lead, scripts, ...fields }: NewListing,
    ): Promise<VNode> {
      const list = `${visit.frame.root}${sellingPath(visit, 'products')}`;
      return (
        <SellingPage visit={visit} at="products" isBelow title={title} scripts={scripts}>
          <p class="intro">{lead}</p>
          <Form state={state} submit={words.submit} cancel={list} hasFiles>
            <HiddenField name="once" value={newFormId()} />
            <ProductFields visit={visit} categories={await offeredCategories(storefront)} {...fields} />
          </Form>
        </SellingPage>
      );
    },

    /** Adds the product of the form `name` with the id `id`, and leads to its page. */
    async publish<Reason extends string>(
      visit: SignedInVisit,
      [name, id]: readonly [name: string, id: string],
      add: (caller: Caller) => Promise<Product | Refused<Reason>>,
    ) {
      const caller = await callerIn(visit);
      const made = await once(`${caller.user.id}:${name}`, id, () => add(caller));
      if (made === 'already_sent') return goTo(sellingPath(visit, 'products'), { notice: 'product_sent_before' });
      const added = orFail(made);
      if (isRefused(added)) return added;
      const notice = added.status === 'pending' ? 'product_submitted' : 'product_published';
      return goTo(sellingPath(visit, `products/${added.id}`), { notice });
    },
  };
}

/** The categories of the templates, and those that products have, in the order of the alphabet. */
export async function offeredCategories(storefront: ProductTools['storefront']): Promise<readonly string[]> {
  const { category } = await storefront.values();
  return [...new Set([...categories, ...category.map(({ label }) => label)])].sort();
}
