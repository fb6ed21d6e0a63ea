import { basename } from 'node:path';
import type { Command } from 'commander';
import { calling, show } from '../acting.ts';
import { printFacts, printTable, say } from '../output.ts';

/** The commands that list templates and download their files. */
export function templatesCommand(program: Command): void {
  const templates = program.command('templates').description('list, show and download templates');
  templates
    .command('list')
    .description('list the templates that your plan can see')
    .option('--category <name>', 'only those of a category')
    .action(
      calling<{ category?: string }>(async ({ get }, options) => {
        const answer = await get('/api/templates', { query: { category: options.category } });
        show(options, answer, () =>
          printTable(
            ['SLUG', 'TITLE', 'CATEGORY', 'PLAN'],
            answer.templates.map((one) => [one.slug, one.title, one.category, one.tier]),
          ),
        );
      }),
    );
  templates
    .command('show')
    .description('show a template with its parameters')
    .argument('<template>', 'id or slug')
    .action(
      calling(async ({ get }, options, id: string) => {
        const answer = await get('/api/templates/{id}', { path: { id } });
        const { template } = answer;
        show(options, answer, () => {
          printFacts([
            ['Title', template.title],
            ['Slug', template.slug],
            ['Category', template.category],
            ['Plan', template.tier],
            ['Tags', template.tags.join(', ')],
            ['Downloads', String(template.download_count)],
          ]);
          say(`\n${template.description}`);
          if (template.parameters.length === 0) return;
          say();
          printTable(
            ['PARAMETER', 'TYPE', 'NEEDED', 'DEFAULT', 'DESCRIPTION'],
            template.parameters.map((one) => [
              String(one.name),
              String(one.type),
              one.required ? 'yes' : 'no',
              one.default === null ? '' : String(one.default),
              String(one.description || one.label),
            ]),
          );
        });
      }),
    );
  templates
    .command('download')
    .description('download the zip of a template')
    .argument('<template>', 'id or slug')
    .option('-o, --out <file>', 'where to store it')
    .option('--force', 'replace a file that exists')
    .action(
      calling<{ out?: string; force?: boolean }, readonly [string]>(async ({ get }, options, id) => {
        const { url, filename } = await get('/api/templates/{id}/download', { path: { id } });
        const { download } = await import('../transfer.ts');
        const file = options.out ?? basename(filename);
        await download(url, file, options.force);
        show(options, { file }, () => say(`Stored ${file}.`));
      }),
    );
}
