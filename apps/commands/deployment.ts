import { type Command, Option } from 'commander';
import { type KeyMode, keyModes } from '../../core/accounts/api-key.ts';
import { t } from '../wiring/tokens.ts';
import { type AnswerOptions, administer, answering } from './action.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

export function addDeploymentCommands(program: Command, terminal: Terminal): void {
  const deployment = program.command('deployment').description('Registered deployments');

  answering(deployment.command('count'))
    .description('Count deployments by chain and template, highest count first')
    .addOption(
      new Option('--mode <mode>', 'only deployments registered with live keys, or with test keys')
        .choices(keyModes)
        .default('live'),
    )
    .action((options: AnswerOptions & { mode: KeyMode }) =>
      administer(terminal, options, async (parts) => {
        const counts = await (await parts.get(t.deploymentLog)).count({ isLive: options.mode === 'live' });
        const rows = counts.map(({ chainId, templateId, count }) => [
          String(chainId),
          templateId === null ? 'unknown' : String(templateId),
          String(count),
        ]);
        return {
          json: { deployments: counts },
          text: table([['CHAIN ID', 'TEMPLATE', 'DEPLOYMENTS'], ...rows]),
        };
      }),
    );
}
