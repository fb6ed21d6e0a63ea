import type { VNode } from 'preact';
import { z } from 'zod';
import type { Product } from '../../../../../core/marketplace/product.ts';
import { isVersionNumber, versionLimits } from '../../../../../core/marketplace/product-version.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { Versions } from '../../../../../core/selling/products.ts';
import type { Endpoint } from '../../../surface.ts';
import { AreaField, Form, TextField } from '../../../ui/form.tsx';
import { Paging } from '../../../ui/paging.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { optional, optionalText } from '../../fields.ts';
import { form, receiving } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { VersionRow } from '../../version-row.tsx';
import { sellerIn } from '../selling-page.tsx';
import { FilesAgain, ZipField, zipField } from './files.tsx';
import { ProductFrame } from './product-frame.tsx';
import { base, type ProductTools, pathOf, productIn } from './product-tools.ts';

const { sellingProducts: words } = texts;
export const versionsOnPage = 10;

/** The form for a new version. */
export function newVersionPages(tools: DashboardTools, own: Pick<ProductTools, 'products'>): Endpoint[] {
  return form(tools, {
    id: 'new-version',
    path: `${base}/:id/versions/new`,
    audience: 'user',
    fields: z.object({
      number: optionalText.pipe(z.string().refine((text) => text === '' || isVersionNumber(text), words.wrongNumber)),
      notes: optional(versionLimits.notes),
    }),
    receive: receiving(tools, zipField),
    async render(visit, state) {
      const product = await productIn(own, visit);
      return (
        <ProductFrame visit={visit} title={words.newVersion} of={product} scripts={['upload.js']}>
          <p class="intro">{words.newVersionLead}</p>
          <Form state={state} submit={words.upload} cancel={`${visit.frame.root}${pathOf(visit, product)}`} hasFiles>
            <FilesAgain state={state} />
            <ZipField state={state} />
            <TextField state={state} name="number" label={words.number} hint={words.numberHint} />
            <AreaField state={state} name="notes" label={words.notes} hint={words.notesHint} rows={5} />
          </Form>
        </ProductFrame>
      );
    },
    async act(visit, { number, notes }, { product_zip: zip }) {
      const product = await productIn(own, visit);
      if (zip === undefined) throw new Error('A form without its file passed the checks.');
      const version = { number: number || undefined, notes };
      const added = orFail(await own.products.addVersion(String(product.id), version, zip, sellerIn(visit)));
      return isRefused(added) ? added : goTo(pathOf(visit, product), { notice: 'version_added' });
    },
    refusals: {
      product_archived: { text: words.archivedAlready },
      quota_exceeded: { field: 'product_zip', text: ({ detail }) => detail ?? '' },
      version_exists: { field: 'number', text: words.takenNumber },
      invalid_number: { field: 'number', text: words.wrongNumber },
      too_many_versions: { text: words.tooManyVersions },
    },
  });
}

/** The versions of a product, newest first, each with its zip. */
export function VersionPart({
  product,
  found: { versions, next },
  address,
  isFirst,
}: {
  readonly product: Product;
  readonly found: Versions;
  /** The address of the product's page. */
  readonly address: string;
  readonly isFirst: boolean;
}): VNode {
  return (
    <section>
      <div class="part">
        <div>
          <h2>{words.versions}</h2>
          <p class="lead">{versions.length === 0 ? words.noVersions : words.versionsLead}</p>
        </div>
        {product.archivedAt === null && (
          <a class="button primary" href={`${address}/versions/new`}>
            {words.newVersion}
          </a>
        )}
      </div>
      {versions.length > 0 && (
        <ul class="rows panel">
          {versions.map((version, n) => (
            <VersionRow
              key={version.ordinal}
              version={version}
              name={words.versionOf(version.number)}
              tags={isFirst && n === 0 && <span class="tag good">{words.newest}</span>}
            >
              <div class="choices">
                <a class="button small" href={`${address}/download?version=${encodeURIComponent(version.number)}`}>
                  {words.download}
                  <span class="unseen"> {words.versionOf(version.number)}</span>
                </a>
              </div>
            </VersionRow>
          ))}
        </ul>
      )}
      <Paging
        label={words.versions}
        back={isFirst ? undefined : { href: address, title: words.newestVersions }}
        on={
          next === null
            ? undefined
            : { href: `${address}?after=${encodeURIComponent(next)}`, title: words.olderVersions }
        }
      />
    </section>
  );
}
