import type { Command } from 'commander';
import { calling, type Given, show, wholeNumber } from '../acting.ts';
import type { Deployment } from '../deployments.ts';
import { colored, printTable, say } from '../output.ts';
import { Stop } from '../stop.ts';

interface RegisterOptions {
  readonly from?: string;
  readonly contract?: string;
  readonly template?: string;
  readonly chainId?: number;
  readonly chain?: string;
  readonly address?: string;
  readonly txHash?: string;
}

/** Checks before deployments, and records of them. */
export function deployCommand(program: Command): void {
  const deploy = program.command('deploy').description('check and record deployments of contracts');
  deploy
    .command('preflight')
    .description('check whether your plan allows deployment to a chain')
    .argument('<chain-id>', 'such as 11155111', wholeNumber(1))
    .action(
      calling<object, readonly [string]>(async ({ post }, options, text) => {
        const id = Number(text);
        const { chainName } = await import('../deployments.ts');
        const answer = await post('/api/deploy/preflight', { body: { chain: chainName(id), chain_id: id } });
        show(options, answer, () => {
          if (answer.allowed) say(colored('green', `Your plan allows deployment to ${chainName(id)}.`));
        });
        if (!answer.allowed) {
          throw new Stop('refused', answer.reason, `The plan ${answer.tier_required} allows it.`);
        }
      }),
    );
  deploy
    .command('register')
    .description('record deployed contracts')
    .argument('[path]', 'the broadcast of Foundry, the file of hardhat-deploy, or the folder of Ignition')
    .option('--from <tool>', 'foundry or hardhat')
    .option('--contract <name>', 'only this contract of the file')
    .option('--template <slug>', 'the template that was deployed')
    .option('--chain-id <number>', 'without a file: the chain', wholeNumber(1))
    .option('--chain <name>', 'without a file: its name')
    .option('--address <address>', 'without a file: the contract')
    .option('--tx-hash <hash>', 'without a file: the transaction')
    .action(
      calling<RegisterOptions, readonly [string | undefined]>(async ({ post }, options, path) => {
        const { contract, template } = options;
        const found = (await deploymentsOf(options, path)).filter(
          (one) => contract === undefined || one.contract === contract,
        );
        if (found.length === 0) throw new Stop('failed', 'There is no such contract that was deployed.');
        for (const { contract: _, ...deployed } of found) {
          await post('/api/deploy/register', { body: { ...deployed, template_id: template ?? null } });
        }
        show(options, found, () => {
          printTable(
            ['CONTRACT', 'CHAIN', 'ADDRESS'],
            found.map((one) => [one.contract, one.chain, one.address]),
          );
        });
      }),
    );
}

async function deploymentsOf(options: Given<RegisterOptions>, path: string | undefined): Promise<Deployment[]> {
  const { from, chainId, chain, address, txHash } = options;
  const { chainName, findBroadcast, readFoundry, readHardhat } = await import('../deployments.ts');
  if (from === 'foundry') return await readFoundry(path ?? (await findBroadcast('broadcast')));
  if (from === 'hardhat') {
    if (path !== undefined) return await readHardhat(path);
    throw new Stop(
      'wrongUsage',
      'Name the file or folder of the deployment.',
      'Such as deployments/sepolia/Token.json.',
    );
  }
  if (from !== undefined) throw new Stop('wrongUsage', `--from must be foundry or hardhat, not ${from}.`);
  if (chainId === undefined || address === undefined || txHash === undefined) {
    throw new Stop('wrongUsage', 'Use --from, or --chain-id, --address and --tx-hash.');
  }
  return [{ chain: chain ?? chainName(chainId), chain_id: chainId, address, tx_hash: txHash, contract: '' }];
}
