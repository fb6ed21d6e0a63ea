import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import type { Product } from '../../../../core/marketplace/product.ts';
import { isVersionNumber, type ProductVersion, versionLimits } from '../../../../core/marketplace/product-version.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { Versions } from '../../../../core/selling/products.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Description } from '../../ui/description.tsx';
import { AreaField, ChoiceField, TextField } from '../../ui/form.tsx';
import { Paging } from '../../ui/paging.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import type { Described } from '../../ui/seller-markdown.ts';
import { Time } from '../../ui/time.tsx';
import { act } from '../kit/act.tsx';
import { optional, optionalText, someOf } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { receiving } from '../kit/uploads.ts';
import { FilesAgain, ZipField, zipField } from './edit.tsx';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

export const versionsOnPage = 10;

/** The form for a new version, and the question before one is deleted. */
export function versionActs(tools: DashboardTools, product: Subject<Product>, { products }: ProductTools): Endpoint[] {
  return [
    ...act(tools, product, {
      id: 'new-version',
      name: 'versions/new',
      fields: z.object({
        number: optionalText.pipe(z.string().refine((text) => text === '' || isVersionNumber(text), words.wrongNumber)),
        notes: optional(versionLimits.notes),
        everybody: someOf(['yes']),
      }),
      receive: receiving(tools, zipField),
      ask: ({ visit }) => ({
        title: words.newVersion,
        scripts: ['upload.js'],
        lead: words.newVersionLead,
        fields: (
          <>
            <FilesAgain />
            <ZipField tools={tools} root={visit.frame.root} />
            <TextField name="number" label={words.number} hint={words.numberHint} />
            <AreaField name="notes" label={words.notes} hint={words.notesHint} rows={5} />
            <ChoiceField
              name="everybody"
              type="checkbox"
              label={words.everybody}
              options={[['yes', words.forEverybody]]}
            />
          </>
        ),
        submit: words.upload,
        hasFiles: true,
      }),
      work({ one, visit, fields: { number, notes, everybody }, files: { product_zip: zip } }) {
        if (zip === undefined) throw new Error('A form without its file passed the checks.');
        return products.addVersion(
          String(one.id),
          { number: number || undefined, notes, isForEverybody: everybody.length > 0 },
          zip,
          sellerIn(visit),
        );
      },
      notice: 'version_added',
      refusals: {
        product_archived: { text: words.archivedAlready },
        quota_exceeded: asRefused('product_zip'),
        version_exists: { field: 'number', text: words.takenNumber },
        invalid_number: { field: 'number', text: words.wrongNumber },
        too_many_versions: { text: words.tooManyVersions },
        bundle_without_files: { text: words.noFilesInBundle },
      },
    }),

    ...act(tools, product, {
      id: 'delete-version-page',
      name: 'versions/:version/delete',
      fields: z.object({}),
      ask: ({ visit }) => ({
        title: words.deleteTitle(visit.params.version ?? ''),
        lead: words.deleteLead,
        submit: words.deleteSubmit,
        isDangerous: true,
      }),
      work: ({ one, visit }) => products.deleteVersion(String(one.id), visit.params.version ?? '', sellerIn(visit)),
      notice: 'version_deleted',
      refusals: {
        newest: asRefused(),
        bought: asRefused(),
      },
    }),
  ];
}

/** The versions of a product, newest first, each with its zip. */
export function VersionPart({
  product,
  found: { versions, next },
  notes,
  address,
  isFirst,
}: {
  readonly product: Product;
  readonly found: Versions;
  /** What is new in each version, by ordinal. */
  readonly notes: ReadonlyMap<number, Described>;
  /** The address of the product's page. */
  readonly address: string;
  readonly isFirst: boolean;
}): VNode {
  return (
    <section>
      <PartHead title={words.versions} lead={versions.length === 0 ? words.noVersions : words.versionsLead}>
        {product.archivedAt === null && <ButtonLink href={`${address}/versions/new`} text={words.newVersion} />}
      </PartHead>
      {versions.length > 0 && (
        <ul class="rows panel">
          {versions.map((version, n) => (
            <VersionRow
              key={version.ordinal}
              version={version}
              notes={notes.get(version.ordinal)}
              name={words.versionOf(version.number)}
              tags={
                <>
                  {isFirst && n === 0 && <span class="tag good">{words.newest}</span>}
                  {version.isForEverybody && <span class="tag">{words.everybodyTag}</span>}
                </>
              }
            >
              <div class="choices">
                <ButtonLink
                  href={`${address}/download?version=${encodeURIComponent(version.number)}`}
                  text={words.download}
                  about={words.versionOf(version.number)}
                  look="small"
                />
                {!(isFirst && n === 0) && (
                  <ButtonLink
                    href={`${address}/versions/${encodeURIComponent(version.number)}/delete`}
                    text={words.deleteVersion}
                    about={words.versionOf(version.number)}
                    look="small"
                  />
                )}
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

/** A version of a product, in a list of versions. `children` are what can be done with it. */
export function VersionRow({
  version: { size, createdAt },
  notes,
  name,
  tags,
  children,
}: {
  readonly version: Pick<ProductVersion, 'size' | 'createdAt'>;
  /** What is new in it. */
  readonly notes: Described | undefined;
  readonly name: string;
  readonly tags: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <li class="row">
      <div class="about">
        <h3>
          <span class="breakable">{name}</span> {tags}
        </h3>
        <Description described={notes} />
        <ul class="details">
          <li>
            <Time at={createdAt} />
          </li>
          {size !== null && <li>{readableBytes(size)}</li>}
        </ul>
      </div>
      {children}
    </li>
  );
}
