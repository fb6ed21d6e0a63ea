import type { VNode } from 'preact';
import { z } from 'zod';
import type { Product } from '../../../../core/marketplace/product.ts';
import { longestAlt, mostPictures, type PictureChange } from '../../../../core/marketplace/product-pictures.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { ButtonForm, TextField } from '../../ui/form.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Picture } from '../../ui/picture.tsx';
import { formWords } from '../../ui/words.ts';
import type { FileFields } from '../../upload.ts';
import { act, actAtOnce } from '../kit/act.tsx';
import { required } from '../kit/fields.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { modeIn, sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { limitOf, receiving } from '../kit/uploads.ts';
import { FilesAgain } from './edit.tsx';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

const names = {
  title: 'More pictures',
  lead: (most: number) => `The page of the product shows up to ${most}, below the thumbnail.`,
  add: 'Add a picture',
  file: 'Picture',
  fileHint: 'A PNG or JPG image.',
  noFile: 'Choose a picture.',
  alt: 'What it shows',
  altHint: 'For people who cannot see it, such as “The page of a pool with its chart”.',
  noAlt: 'Say what it shows.',
  submit: 'Add picture',
  first: 'Make it first',
  remove: 'Remove',
  gone: 'The product does not have this picture any more.',
  tooMany: 'The product has the largest number of pictures. Remove one first.',
};
const field = {
  picture: { kinds: ['png', 'jpg'], description: names.file, missing: names.noFile, isShown: true },
} as const satisfies FileFields;
const changes = ['first', 'remove'] as const satisfies PictureChange[];

/** The form for another picture, and the buttons of each picture. */
export function pictureActs(tools: DashboardTools, product: Subject<Product>, own: ProductTools): Endpoint[] {
  const { products, marketplace, accounts } = own;
  return [
    ...act(tools, product, {
      id: 'new-picture',
      name: 'pictures/new',
      fields: z.object({ alt: required(longestAlt, names.noAlt) }),
      receive: receiving(tools, field),
      ask: () => {
        const limit = limitOf(tools, field, 'picture');
        return {
          title: names.add,
          scripts: ['upload.js'],
          fields: (
            <>
              <FilesAgain />
              <FileField
                name="picture"
                label={names.file}
                hint={formWords.atMost(names.fileHint, limit.size)}
                limit={limit}
                accept="image/png,image/jpeg"
              />
              <TextField name="alt" label={names.alt} hint={names.altHint} />
            </>
          ),
          submit: names.submit,
          hasFiles: true,
        };
      },
      async work({ one, visit, fields: { alt }, files: { picture } }) {
        if (picture === undefined) throw new Error('A form without its file passed the checks.');
        const user = orFail(await accounts.find(String(visit.me.login.id)));
        const key = await marketplace.upload({ user, mode: modeIn(visit) }, picture);
        if (isRefused(key)) return key;
        const { shape } = picture;
        return await products.addPicture(String(one.id), { key, alt, ...(shape && { shape }) }, sellerIn(visit));
      },
      notice: 'picture_added',
      refusals: {
        product_archived: { text: words.archivedAlready },
        too_many_pictures: { text: names.tooMany },
        quota_exceeded: asRefused('picture'),
      },
    }),
    ...changes.map((change) =>
      actAtOnce(tools, product, {
        id: `picture-${change}`,
        name: `pictures/:picture/${change}`,
        work: ({ one, visit }) =>
          products.changePicture(String(one.id), keyOf(one, visit.params.picture ?? ''), change, sellerIn(visit)),
        notice: change === 'first' ? 'picture_first' : 'picture_removed',
        refusals: { product_archived: words.archivedAlready, picture_not_found: names.gone },
      }),
    ),
  ];
}

/** The last part of the key of a picture, which is in addresses. */
function nameOf({ key }: Product['pictures'][number]): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function keyOf({ pictures }: Product, name: string): string {
  return pictures.find((picture) => nameOf(picture) === name)?.key ?? '';
}

/** The pictures of a product besides its thumbnail. `images` are their addresses. */
export function PicturePart({
  product,
  images,
  address,
}: {
  readonly product: Product;
  readonly images: readonly string[];
  readonly address: string;
}): VNode | null {
  const { pictures, archivedAt } = product;
  if (archivedAt !== null) return null;
  return (
    <section>
      <PartHead title={names.title} lead={names.lead(mostPictures)}>
        {pictures.length < mostPictures && <ButtonLink href={`${address}/pictures/new`} text={names.add} />}
      </PartHead>
      {pictures.length > 0 && (
        <ul class="rows panel">
          {pictures.map((picture, at) => (
            <li key={picture.key} class="row">
              <Picture class="small-picture" src={images[at] ?? ''} sizes="6rem" isLazy />
              <div class="about">
                <p dir="auto" class="breakable">
                  {picture.alt}
                </p>
              </div>
              <div class="choices">
                {at > 0 && (
                  <ButtonForm
                    action={`${address}/pictures/${nameOf(picture)}/first`}
                    label={names.first}
                    name={picture.alt}
                  />
                )}
                <ButtonForm
                  action={`${address}/pictures/${nameOf(picture)}/remove`}
                  label={names.remove}
                  name={picture.alt}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
