import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type Tier, tierNames } from '../../core/accounts/tier.ts';
import { isRefused } from '../../core/refusal.ts';
import {
  type Category,
  categories,
  parameterTypes,
  type Template,
  type TemplateChange,
} from '../../core/templates/template.ts';
import { t } from '../wiring/tokens.ts';
import {
  type AnswerOptions,
  administer,
  answering,
  type ChangeOptions,
  changing,
  operator,
  RefusedCommand,
  reads,
  WrongUsage,
} from './action.ts';
import { line } from './fields.ts';
import { storeZip } from './store-zip.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

interface Fields {
  readonly title?: string;
  readonly description?: string;
  readonly category?: Category;
  readonly tier?: Tier;
  readonly tags?: string[];
  readonly parameters?: string;
  readonly zip?: string;
}

const tags = line(1_000)
  .transform((text) => text.split(',').map((tag) => tag.trim()))
  .refine((all) => all.every((tag) => tag !== ''), 'It must be words separated by commas.');

const parameters = z.array(
  z.strictObject({
    name: z.string().min(1).max(100),
    type: z.enum(parameterTypes),
    label: z.string().max(200),
    description: z.string().max(2_000).default(''),
    required: z.boolean().default(false),
    default: z.union([z.string(), z.number(), z.boolean(), z.null()]).default(null),
    options: z.array(z.string()).optional(),
  }),
);

export function addTemplateCommands(program: Command, terminal: Terminal): void {
  const template = program.command('template').description('Project templates');

  withFields(changing(template.command('add')))
    .description('Add a template')
    .requiredOption('--slug <slug>', 'its name in URLs: words of a-z and 0-9, not digits alone', reads(line(80)))
    .action((options: ChangeOptions & Fields & { slug: string }) =>
      administer(terminal, options, async (parts) => {
        const { title, description, category, tier, zip } = options;
        if (!title || !description || !category || !tier || !zip) {
          throw new WrongUsage('A template needs --title, --description, --category, --tier and --zip.');
        }
        const given = { tags: options.tags ?? [], parameters: await readParameters(options.parameters) };
        const administration = await parts.get(t.templateAdministration);
        const added = await storeZip(parts, zip, (key) =>
          administration.add(
            { slug: options.slug, title, description, category, tier, ...given, zip: key },
            operator(options),
          ),
        );
        return isRefused(added) ? added : answer(added, 'Added');
      }),
    );

  withFields(changing(template.command('update')))
    .description('Change the given fields of a template')
    .argument('<id or slug>')
    .action((idOrSlug: string, options: ChangeOptions & Fields) =>
      administer(terminal, options, async (parts) => {
        const { title, description, category, tier, tags } = options;
        const change: TemplateChange = {
          ...(title && { title }),
          ...(description && { description }),
          ...(category && { category }),
          ...(tier && { tier }),
          ...(tags && { tags }),
          ...(options.parameters && { parameters: await readParameters(options.parameters) }),
        };
        const administration = await parts.get(t.templateAdministration);
        const update = (zip?: string) =>
          administration.update(idOrSlug, { ...change, ...(zip && { zip }) }, operator(options));
        const found = await administration.find(idOrSlug, operator());
        if (isRefused(found)) return found;
        const updated = options.zip ? await storeZip(parts, options.zip, update) : await update();
        return isRefused(updated) ? updated : answer(updated, 'Updated');
      }),
    );

  answering(template.command('list'))
    .description('List all templates, newest first')
    .action((options: AnswerOptions) =>
      administer(terminal, options, async (parts) => {
        const all = await (await parts.get(t.templateAdministration)).list(operator());
        if (isRefused(all)) return all;
        const rows = all.map((one) => [
          String(one.id),
          one.slug,
          one.title,
          one.category,
          one.tier,
          String(one.downloadCount),
        ]);
        return {
          json: { templates: all.map(render) },
          text: table([['ID', 'SLUG', 'TITLE', 'CATEGORY', 'TIER', 'DOWNLOADS'], ...rows]),
        };
      }),
    );
}

function withFields(command: Command): Command {
  return command
    .option('--title <title>', '1 to 200 characters', reads(line(200)))
    .option('--description <text>', '1 to 5000 characters', reads(line(5_000)))
    .addOption(new Option('--category <category>').choices(categories))
    .addOption(
      new Option('--tier <tier>', 'the lowest tier that sees it; everybody may download a free template').choices(
        tierNames,
      ),
    )
    .option('--tags <a,b>', 'words separated by commas', reads(tags))
    .option('--parameters <file>', 'a JSON file with the parameters that users fill in')
    .option('--zip <file>', 'the zip that users download');
}

async function readParameters(file: string | undefined): Promise<Template['parameters']> {
  if (file === undefined) return [];
  const text = await readFile(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new RefusedCommand(`${file} is not JSON.`, { cause: error });
  }
  const result = parameters.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new RefusedCommand(`${file}: ${issue?.path.join('.') || 'the whole file'}: ${issue?.message}`);
}

function render(template: Template) {
  const { id, slug, title, description, category, tier, tags, parameters, createdAt, downloadCount } = template;
  return { id, slug, title, description, category, tier, tags, parameters, createdAt, downloadCount };
}

function answer(template: Template, done: string) {
  return {
    json: { template: render(template) },
    text: `${done} template ${template.id}: ${template.title} (${template.slug})`,
  };
}
