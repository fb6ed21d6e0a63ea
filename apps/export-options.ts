import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { type ExportingSystem, systemsWithExports } from '../core/licensing/alias.ts';

/** What somebody says on a command line about a file of licenses. */
export interface ExportOptions {
  readonly from?: ExportingSystem;
  readonly product?: string;
  readonly theirProduct?: string;
  readonly map?: readonly string[];
  readonly mapFile?: string;
  readonly dryRun?: true;
}

/** Adds the options of `ExportOptions` to a command. Returns the command. */
export function withExportOptions(command: Command): Command {
  return command
    .addOption(new Option('--from <system>', 'the system whose export it is').choices(systemsWithExports))
    .option('--product <product>', 'with --from: the product of all its licenses, by id or slug')
    .option('--their-product <name>', 'with --product: import only the lines of this product there')
    .option('--map <there=here>', 'with --from: which product here a product there is; as often as you like', listed)
    .option('--map-file <file>', 'the same from a file, one on a line')
    .option('--dry-run', 'say what would happen to each line, and import nothing');
}

/** For an option that can be given several times. */
function listed(one: string, before: readonly string[] = []): readonly string[] {
  return [...before, one];
}

/** Returns all lines of `--map` and `--map-file`, or `undefined` if neither is given. */
export async function mapIn({ map = [], mapFile }: ExportOptions): Promise<string | undefined> {
  const maps = [...map, ...(mapFile === undefined ? [] : [await readFile(mapFile, 'utf8')])];
  return maps.length > 0 ? maps.join('\n') : undefined;
}
