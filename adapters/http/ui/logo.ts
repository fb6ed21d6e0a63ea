import { createHash } from 'node:crypto';

/** The owner's logo, as pages show it. */
export interface Logo {
  /** The address from the first page. It changes with the picture, so that browsers can keep it. */
  readonly address: string;
  /** WebP. */
  readonly bytes: Buffer;
}

let known: { readonly text: string; readonly logo: Logo } | undefined;

/** Returns the logo of the settings. Each is decoded once. */
export function logoOf(text: string): Logo | undefined {
  if (text === '') return undefined;
  if (known?.text !== text) {
    const bytes = Buffer.from(text.slice(text.indexOf(',') + 1), 'base64');
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    known = { text, logo: { address: `logo/${digest}.webp`, bytes } };
  }
  return known.logo;
}
