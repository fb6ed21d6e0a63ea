import { type Command, Option } from 'commander';
import type { Given } from '../acting.ts';
import type { Result } from '../conformance/run.ts';
import { note, printJson, say } from '../output.ts';
import { Stop } from '../stop.ts';

interface ConformOptions {
  readonly product?: string;
  readonly licenses?: string;
  readonly only?: string;
  readonly vectors: 'sample' | 'all';
  readonly report: 'text' | 'json' | 'junit';
  readonly data?: boolean;
}

/** Checks whether a server speaks the license API. */
export function conformCommand(program: Command): void {
  program
    .command('conform')
    .description('check whether a server answers as the license API says, case by case')
    .argument('[server]', 'such as https://api.example.com; default: as for other commands')
    .option('--product <product>', 'issue licenses of this product of yours for the cases, with your API key')
    .option('--licenses <file>', 'take the keys from this JSON file instead: {"one": ["LIC-…", …], "two": […], …}')
    .option('--only <text>', 'only cases whose id or group has this text')
    .addOption(
      new Option('--vectors <which>', 'of domains: a sample of them, or all, which takes minutes')
        .choices(['sample', 'all'])
        .default('sample'),
    )
    .addOption(new Option('--report <format>', 'of the results').choices(['text', 'json', 'junit']).default('text'))
    .option('--data', 'print the cases as JSON, and call nothing')
    .action(async function (this: Command) {
      const given = this.optsWithGlobals<Given<ConformOptions>>();
      const [server] = this.processedArgs as [string | undefined];
      await conform({ ...given, ...(server !== undefined && { server }) });
    });
}

async function conform(options: Given<ConformOptions>): Promise<void> {
  const [
    { cases, data },
    { vectorCases, vectors },
    { issueLicenses, neededLicenses, readLicenses },
    { runCase },
    report,
  ] = await Promise.all([
    import('../conformance/kit.ts'),
    import('../conformance/vectors.ts'),
    import('../conformance/licenses.ts'),
    import('../conformance/run.ts'),
    import('../conformance/report.ts'),
  ]);
  const all = [...cases, ...vectorCases(options.vectors)];
  if (options.data) return printJson({ ...data, cases: all, vectors });
  const { only = '', product, licenses } = options;
  const wanted = all.filter(({ id, group }) => id.includes(only) || group.includes(only));
  if (wanted.length === 0) throw new Stop('wrongUsage', `No case has ${only} in its id or group.`);
  if (product !== undefined && licenses !== undefined) {
    throw new Stop('wrongUsage', 'Both --product and --licenses are given.', 'Choose one of them.');
  }
  if (product === undefined && licenses === undefined) {
    const counts = Object.entries(neededLicenses(wanted)).flatMap(([kind, count]) =>
      count > 0 ? `${count} ${kind}` : [],
    );
    throw new Stop(
      'wrongUsage',
      'The cases need licenses.',
      `Name a product of yours with --product, or a file of keys with --licenses: ${counts.join(', ')}.`,
    );
  }
  const { findServer } = await import('../connection.ts');
  const server = await findServer(options);
  const isText = options.report === 'text' && !options.json;
  const link = (guide: string) => new URL(`/docs/${guide.replace('.md', '')}`, server).href;
  const keysFor =
    product === undefined
      ? await readLicenses(licenses ?? '')
      : await issueLicenses(await (await import('../api.ts')).openApi(options), product, wanted);
  const results: Result[] = [];
  for (const one of wanted) {
    const result = await runCase(server, one, await keysFor(one), note);
    results.push(result);
    if (isText) for (const line of report.linesOf(result, link)) say(line);
  }
  if (options.report === 'junit') say(report.toJunit(results, server, link));
  else if (!isText) printJson(report.toJson(results, server, link));
  const { passed, failed, skipped } = report.countsOf(results);
  if (isText) say(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0)
    throw new Stop(
      'refused',
      `${server} does not answer as the license API says: ${failed} of ${results.length} cases failed.`,
    );
}
