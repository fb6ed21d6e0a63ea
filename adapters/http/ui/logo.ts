import { createHash } from 'node:crypto';

/** The owner's logo, as pages and mails show it. */
export interface Logo {
  /** The address from the first page. It changes with the picture, so that browsers can keep it. */
  readonly address: string;
  readonly bytes: Buffer;
  readonly type: string;
  /** As the icon of a page. */
  readonly icon: { readonly address: string; readonly svg: string };
}

let known: { readonly text: string; readonly logo: Logo } | undefined;

/** Returns the logo of the settings. Each is decoded once. */
export function logoOf(text: string): Logo | undefined {
  if (text === '') return undefined;
  if (known?.text !== text) {
    const [head = '', base64 = ''] = text.split(',');
    const bytes = Buffer.from(base64, 'base64');
    const type = /image\/\w+/.exec(head)?.[0] ?? '';
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const address = `logo/${digest}.${type.slice(type.indexOf('/') + 1)}`;
    const icon = { address: `logo/${digest}.svg`, svg: iconOf(text, bytes) };
    known = { text, logo: { address, bytes, type, icon } };
  }
  return known.logo;
}

/** An icon is square. Of a picture that is much wider, it shows the start, where the sign stands. */
function iconOf(text: string, bytes: Buffer): string {
  const isPng = bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.length >= 24;
  const isWide = isPng && bytes.readUInt32BE(16) > 2 * bytes.readUInt32BE(20);
  const fit = isWide ? 'xMinYMid slice' : 'xMidYMid meet';
  const image = `<image href="${text}" width="64" height="64" preserveAspectRatio="${fit}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${image}</svg>`;
}
