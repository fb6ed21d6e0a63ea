import type { Command } from 'commander';
import { calling } from '../acting.ts';

/** A server for agents. */
export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve an agent, by the Model Context Protocol on standard input and output')
    .option('--allow-writes', 'let it issue licenses in test mode too; without it, it only reads')
    .action(
      calling<{ allowWrites?: boolean }>(async (api, { allowWrites = false }) => {
        const { serveMcp } = await import('../mcp.ts');
        await serveMcp(api, allowWrites);
      }),
    );
}
