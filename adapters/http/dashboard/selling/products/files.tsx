import type { VNode } from 'preact';
import { FileField } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import type { FileFields } from '../../../upload.ts';

const { sellingProducts: words } = texts;

export const zipField = {
  product_zip: { kinds: ['zip'], description: words.zip, missing: words.noZip },
} as const satisfies FileFields;
export const thumbnailField = {
  thumbnail: { kinds: ['png', 'jpg'], description: words.thumbnail, missing: words.noThumbnail },
} as const satisfies FileFields;

export function ZipField({ state }: { readonly state: FormState }): VNode {
  return (
    <FileField state={state} name="product_zip" label={words.zip} hint={words.zipHint} accept=".zip,application/zip" />
  );
}

export function ThumbnailField({ state }: { readonly state: FormState }): VNode {
  return (
    <FileField
      state={state}
      name="thumbnail"
      label={words.thumbnail}
      hint={words.thumbnailHint}
      accept="image/png,image/jpeg"
    />
  );
}

/** Without script, browsers forget the chosen files after a refusal. */
export function FilesAgain({ state: { faults, message } }: { readonly state: FormState }): VNode | null {
  if (Object.keys(faults).length === 0 && message === undefined) return null;
  return (
    <noscript>
      <p class="note">{words.chooseAgain}</p>
    </noscript>
  );
}
