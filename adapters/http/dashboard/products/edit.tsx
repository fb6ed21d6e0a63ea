import type { VNode } from 'preact';
import { listingLimits, type Product } from '../../../../core/marketplace/product.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { Description, describe } from '../../ui/description.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { formWords } from '../../ui/words.ts';
import type { FileFields } from '../../upload.ts';
import { act } from '../kit/act.tsx';
import { send, shown } from '../kit/answer.ts';
import { formId } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { admit, type DashboardTools } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { modeIn, SellingPage, sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { limitOf, receiving } from '../kit/uploads.ts';
import { productFields, toChosenParts, toListing, valuesOf, wrongPattern, wrongPrices } from './fields.ts';
import { createNewListing, offeredCategories } from './new-listing.tsx';
import { ProductFields } from './product-fields.tsx';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

/** The form for a new product. Sending the same form again makes no second product. */
export function newProductPages(tools: DashboardTools, own: ProductTools): Endpoint[] {
  const receive = receiving(tools, { ...zipField, thumbnail: { ...thumbnailField.thumbnail, isOptional: true } });
  const { callerIn, initial, render, publish } = createNewListing(own);
  return form(tools, {
    id: 'new-product',
    path: `/${areas.selling.products}/new`,
    audience: 'user',
    fields: productFields({ once: formId }),
    // Only files of people who can sell are received.
    async receive(visit) {
      await callerIn(visit);
      return await receive(visit);
    },
    initial,
    render: (visit, state) =>
      render(visit, state, {
        title: words.newTitle,
        lead: modeIn(visit) === 'live' ? words.newLead : words.newTestLead,
        scripts: ['preview.js', 'upload.js'],
        zip: (
          <>
            <FilesAgain />
            <ZipField tools={tools} root={visit.frame.root} />
          </>
        ),
        picture: <ThumbnailField tools={tools} hint={words.optionalThumbnailHint} />,
      }),
    async act(visit, { once, ...input }, { product_zip: zip, thumbnail }) {
      if (zip === undefined) throw new Error('A form without its zip passed the checks.');
      return await publish(visit, ['new-product', once], (caller) =>
        own.marketplace.publishWith(caller, { ...toListing(input), ...toChosenParts(input) }, zip, thumbnail),
      );
    },
    refusals: {
      quota_exceeded: asRefused('product_zip'),
      invalid_terms: wrongPattern,
      invalid_prices: wrongPrices,
    },
  });
}

/** The form that changes the listing and the license terms. It has no files, but a text that may be long. */
export function editProductPages(
  tools: DashboardTools,
  product: Subject<Product>,
  { products, storefront }: ProductTools,
): Endpoint[] {
  return act(tools, product, {
    id: 'edit-product',
    name: 'edit',
    fields: productFields({}),
    receive: receiving(tools, {}),
    initial: ({ one }) => valuesOf(one),
    edits: ['choice', 'chains', 'support', 'duration', 'hosts', 'on_refund'],
    ask: async ({ one, visit }) => ({
      title: words.editTitle,
      scripts: ['preview.js'],
      fields: (
        <ProductFields
          visit={visit}
          categories={await offeredCategories(storefront)}
          isOpen
          isBundle={one.bundle !== null}
        />
      ),
      submit: words.save,
      hasFiles: true,
    }),
    work: ({ one, visit, fields }) =>
      products.change(String(one.id), { ...toListing(fields), ...toChosenParts(fields) }, sellerIn(visit), one),
    notice: 'product_saved',
    refusals: {
      product_archived: { text: words.archivedAlready },
      invalid_terms: wrongPattern,
      invalid_prices: wrongPrices,
    },
  });
}

/** Shows a description as buyers would see it. Stores nothing. Without script, it gets a whole form with its files. */
export function previewEndpoint(tools: DashboardTools, { baseUrl }: ProductTools): Endpoint {
  const file = { description: 'Is not used.', isOptional: true };
  const files = {
    product_zip: { kinds: ['zip', 'png', 'jpg'], ...file },
    thumbnail: { kinds: ['zip', 'png', 'jpg'], ...file },
  } as const;
  return {
    id: 'preview-description',
    method: 'post',
    paths: [`/${areas.selling.products}/preview`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const { fields, discard } = await tools.readForm(ctx, { files });
      try {
        const [text = ''] = [fields.description].flat().map(String);
        // No description is longer. Rendering a longer text could take seconds, and others would wait.
        const described = await describe([...text].slice(0, listingLimits.description).join(''), baseUrl, 1);
        const page = (
          <SellingPage visit={visit} at="products" isBelow title={words.previewTitle}>
            {described.html === '' ? <p class="lead">{words.previewEmpty}</p> : <Description described={described} />}
          </SellingPage>
        );
        send(visit, tools.cookies, shown(page));
      } finally {
        await discard();
      }
    },
  };
}

export const zipField = {
  product_zip: { kinds: ['zip'], description: words.zip, missing: words.noZip },
} as const satisfies FileFields;
export const thumbnailField = {
  thumbnail: { kinds: ['png', 'jpg'], description: words.thumbnail, missing: words.noThumbnail, isShown: true },
} as const satisfies FileFields;

interface FileFieldProps {
  readonly tools: DashboardTools;
}

export function ZipField({ tools, root }: FileFieldProps & { readonly root: string }): VNode {
  const limit = limitOf(tools, zipField, 'product_zip');
  const hint = (
    <>
      {formWords.atMost(words.zipHint, limit.size)} <a href={`${root}docs/examples`}>{words.zipHelp}</a>
    </>
  );
  return <FileField name="product_zip" label={words.zip} hint={hint} limit={limit} accept=".zip,application/zip" />;
}

export function ThumbnailField({
  tools,
  hint: about = words.thumbnailHint,
}: FileFieldProps & { readonly hint?: string }): VNode {
  const limit = limitOf(tools, thumbnailField, 'thumbnail');
  const hint = formWords.atMost(about, limit.size);
  return <FileField name="thumbnail" label={words.thumbnail} hint={hint} limit={limit} accept="image/png,image/jpeg" />;
}

/** Without script, browsers forget the chosen files after a refusal. */
export function FilesAgain(): VNode | null {
  const { faults, message } = useFormState();
  if (Object.keys(faults).length === 0 && message === undefined) return null;
  return (
    <noscript>
      <p class="note">{words.chooseAgain}</p>
    </noscript>
  );
}
