import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { calling, type Given, show } from '../acting.ts';
import { inBytes, say } from '../output.ts';
import { Stop } from '../stop.ts';

/** The fields of a product to publish, as in `latchkey.json`. */
interface Listing {
  readonly title?: string;
  readonly module?: string;
  readonly tagline?: string;
  readonly description?: string;
  /** In US dollars, such as `49.90`. */
  readonly price?: string | number;
  readonly variant?: string;
  readonly category?: string;
  readonly subcategory?: string;
  readonly tags?: readonly string[];
  readonly blockchains?: readonly string[];
  readonly is_supported?: boolean;
  /** Paths, from the folder of `latchkey.json`. */
  readonly description_file?: string;
  readonly zip?: string;
  readonly thumbnail?: string;
}

interface PublishOptions extends Omit<Listing, 'tags' | 'blockchains' | 'is_supported'> {
  readonly tags?: string;
  readonly blockchains?: string;
  readonly supported?: boolean;
  readonly descriptionFile?: string;
  readonly file?: string;
}

/** The required fields, with the question for each. The program asks for missing ones if it runs in a terminal. */
const needed = {
  title: 'Title',
  module: 'Module, such as token',
  tagline: 'Tagline: one sentence',
  description: 'Description in Markdown, at least 20 characters',
  price: 'Price in US dollars, such as 49.90',
  zip: 'Path of the zip',
  thumbnail: 'Path of the thumbnail, a PNG or JPG',
} as const;
type Needed = keyof typeof needed;

export function publishCommands(program: Command): void {
  program
    .command('publish')
    .description('publish a product from flags, latchkey.json, or your answers')
    .option('--file <path>', 'a file such as latchkey.json with the same names as these flags', 'latchkey.json')
    .option('--title <text>')
    .option('--module <text>', 'such as token')
    .option('--tagline <text>')
    .option('--description <markdown>')
    .option('--description-file <path>', 'a Markdown file')
    .option('--price <amount>', 'in US dollars; 0 is free')
    .option('--zip <path>')
    .option('--thumbnail <path>', 'a PNG or JPG')
    .option('--category <text>')
    .option('--subcategory <text>')
    .option('--variant <text>')
    .option('--tags <list>', 'with commas in between')
    .option('--blockchains <list>', 'with commas in between')
    .option('--supported', 'you provide support')
    .action(
      calling<PublishOptions>(async (api, options) => {
        const listing = await completed(await readListing(options));
        const { checkFile } = await import('../check-file.ts');
        await checkFile(listing.zip, ['zip']);
        await checkFile(listing.thumbnail, ['png', 'jpg']);
        const { upload } = await import('../transfer.ts');
        const answer = await upload(
          api,
          '/api/marketplace/publish',
          {},
          {
            title: listing.title,
            module: listing.module,
            tagline: listing.tagline,
            description: listing.description,
            price: String(listing.price),
            variant: listing.variant,
            category: listing.category,
            subcategory: listing.subcategory,
            tags: listing.tags && JSON.stringify(listing.tags),
            blockchains: listing.blockchains && JSON.stringify(listing.blockchains),
            is_supported: listing.is_supported === undefined ? undefined : String(listing.is_supported),
          },
          { product_zip: listing.zip, thumbnail: listing.thumbnail },
        );
        show(options, answer, () => {
          say(`${answer.product.slug} is ${answer.product.status}.`);
          say(answer.marketplace_url);
        });
      }),
    );
  program
    .command('upload')
    .description('upload a zip or an image for use in a listing')
    .argument('<file>')
    .action(
      calling(async (api, options, file: string) => {
        const { checkFile } = await import('../check-file.ts');
        await checkFile(file, ['zip', 'png', 'jpg']);
        const { upload } = await import('../transfer.ts');
        const answer = await upload(api, '/api/marketplace/upload', {}, {}, { file });
        show(options, answer, () => say(`${answer.url}  (${inBytes(answer.size)})`));
      }),
    );
}

/** Joins the file with the flags, which win. */
async function readListing(options: Given<PublishOptions>): Promise<Listing> {
  const {
    file = 'latchkey.json',
    tags,
    blockchains,
    supported,
    descriptionFile,
    server: _,
    json: __,
    ...flags
  } = options;
  const written = await readWritten(file);
  const beside = (path: string | undefined) => (path === undefined ? undefined : resolve(dirname(file), path));
  const words = (list: string | undefined) =>
    list
      ?.split(',')
      .map((word) => word.trim())
      .filter(Boolean);
  const { description_file: writtenFile, ...rest } = written;
  const text = descriptionFile ?? beside(writtenFile);
  return {
    ...rest,
    ...(written.zip !== undefined && { zip: beside(written.zip) }),
    ...(written.thumbnail !== undefined && { thumbnail: beside(written.thumbnail) }),
    ...(text !== undefined && { description: await readFile(text, 'utf8') }),
    ...flags,
    ...(tags !== undefined && { tags: words(tags) }),
    ...(blockchains !== undefined && { blockchains: words(blockchains) }),
    ...(supported && { is_supported: true }),
  } as Listing;
}

async function readWritten(file: string): Promise<Listing> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && file === 'latchkey.json') return '{}';
    throw error;
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new Stop('wrongUsage', `${file} is no JSON.`);
  }
}

type Complete = Listing & Readonly<Record<Exclude<Needed, 'price'>, string>> & Required<Pick<Listing, 'price'>>;

/** Asks for what is missing. Without a terminal, names it. */
async function completed(listing: Listing): Promise<Complete> {
  const missing = (Object.keys(needed) as Needed[]).filter(
    (name) => listing[name] === undefined || listing[name] === '',
  );
  if (missing.length === 0) return listing as Complete;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new Stop(
      'wrongUsage',
      `This is missing: ${missing.join(', ')}.`,
      `Use ${missing.map((name) => `--${name}`).join(', ')}, or write it into latchkey.json.`,
    );
  }
  const { isCancel, text } = await import('@clack/prompts');
  const answers: Partial<Record<Needed, string>> = {};
  for (const name of missing) {
    const answer = await text({
      message: needed[name],
      validate: (value) => (value?.trim() ? undefined : 'It must not be empty.'),
    });
    if (isCancel(answer)) throw new Stop('failed', 'Nothing was published.');
    answers[name] = answer.trim();
  }
  return { ...listing, ...answers } as Complete;
}
