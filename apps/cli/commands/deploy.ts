import { type Command, Option } from 'commander';
import { calling, type Given, show, wholeNumber } from '../acting.ts';
import type { Deployment } from '../deployments/contract.ts';
import type { Registered } from '../deployments/register.ts';
import { type Tool, tools } from '../deployments/tools.ts';
import { colored, day, note, printTable, say } from '../output.ts';
import { Stop } from '../stop.ts';

interface RegisterOptions {
  readonly from?: Tool;
  readonly contract?: string;
  readonly template?: string;
  readonly chainId?: number;
  readonly chain?: string;
  readonly address?: string;
  readonly txHash?: string;
  readonly dryRun?: boolean;
}

interface ListOptions {
  readonly chainId?: number;
  readonly template?: string;
  readonly state?: string;
  readonly day?: string;
  readonly limit: number;
}

/** Checks before deployments, and records of them. */
export function deployCommand(program: Command): void {
  const deploy = program.command('deploy').description('check, record and list deployments of contracts');
  deploy
    .command('preflight')
    .description('check whether your plan allows deployment to a chain')
    .argument('<chain-id>', 'such as 11155111', wholeNumber(1))
    .action(
      calling<object, readonly [string]>(async ({ post }, options, text) => {
        const id = Number(text);
        const { chainName } = await import('../deployments/contract.ts');
        const answer = await post('/api/deploy/preflight', { body: { chain: chainName(id), chain_id: id } });
        show(options, answer, () => {
          if (answer.allowed) say(colored('green', `Your plan allows deployment to ${chainName(id)}.`));
        });
        if (!answer.allowed) {
          throw new Stop('refused', answer.reason, `The plan ${answer.tier_required} allows it.`);
        }
      }),
    );
  registerCommand(deploy);
  deploy
    .command('list')
    .description('list the deployments that you have recorded, the newest first')
    .option('--chain-id <number>', 'only on this chain', wholeNumber(1))
    .option('--template <slug>', 'only of this template')
    .option('--state <state>', 'such as confirmed or mismatch')
    .option('--day <day>', 'only those recorded on this day, in UTC')
    .option('--limit <number>', 'the most deployments to list', wholeNumber(1), 30)
    .action(
      calling<ListOptions>(async ({ list }, options) => {
        const { chainId, template, state, day: on, limit } = options;
        const query = { chain_id: chainId, template, state, day: on };
        const found = await list('/api/deployments', { query }, limit);
        show(options, found, () => {
          if (found.length === 0) return note('There are no such deployments.');
          printTable(
            ['ADDRESS', 'CHAIN', 'STATE', 'VERSION', 'RECORDED'],
            found.map((one) => [one.address, one.chain, one.state, one.version ?? '', day(one.reported_at)]),
          );
        });
      }),
    );
}

function registerCommand(deploy: Command): void {
  deploy
    .command('register')
    .description('record deployed contracts: those in the files of Foundry and Hardhat, or one')
    .argument(
      '[path]',
      'a file or folder of Foundry, hardhat-deploy or Hardhat Ignition; default: those of this folder',
    )
    .addOption(new Option('--from <tool>', 'only the files of this tool').choices(tools))
    .option('--contract <name>', 'only contracts with this name')
    .option('--template <slug>', 'the template that was deployed')
    .option('--chain-id <number>', 'only those on this chain; without a file: the chain', wholeNumber(1))
    .option('--dry-run', 'only say what would be recorded')
    .option('--chain <name>', 'without a file: the name of the chain')
    .option('--address <address>', 'without a file: the contract')
    .option('--tx-hash <hash>', 'without a file: the transaction')
    .action(
      calling<RegisterOptions, readonly [string | undefined]>(async (api, options, path) => {
        const found = await deploymentsOf(options, path);
        const { registerAll } = await import('../deployments/register.ts');
        const isDryRun = options.dryRun === true;
        const done = await registerAll(api, found, { template: options.template, isDryRun });
        show(options, done, () => {
          printTable(
            ['CONTRACT', 'CHAIN', 'ADDRESS', 'RESULT'],
            done.map((one) => [one.contract, one.chain, one.address, results[one.result]]),
          );
        });
      }),
    );
}

const results: Readonly<Record<Registered['result'], string>> = {
  registered: 'registered',
  already_registered: 'already registered',
  would_be_registered: 'would be registered',
};

async function deploymentsOf(
  options: Given<RegisterOptions>,
  path: string | undefined,
): Promise<readonly Deployment[]> {
  const { chainId, chain, address, txHash, contract } = options;
  const { chainName, made } = await import('../deployments/contract.ts');
  if (address !== undefined || txHash !== undefined) {
    if (chainId === undefined || address === undefined || txHash === undefined || path !== undefined) {
      throw new Stop('wrongUsage', 'Use --chain-id, --address and --tx-hash together, and without a file.');
    }
    const one = made('The command', { id: chainId, address, hash: txHash, contract: contract ?? '' });
    return [{ ...one, chain: chain ?? chainName(chainId) }];
  }
  const { readDeployments, localChains } = await import('../deployments/read.ts');
  const { deployments, leftOut } = await readDeployments(path, options.from === undefined ? tools : [options.from]);
  for (const one of leftOut) note(`Left out: ${one}`);
  const named = deployments.filter((one) => contract === undefined || one.contract === contract);
  const found = named.filter((one) =>
    chainId === undefined ? !localChains.includes(one.chain_id) : one.chain_id === chainId,
  );
  if (chainId === undefined && found.length < named.length) {
    note(`Left out: contracts on this computer. To record them too, use --chain-id.`);
  }
  if (found.length === 0) {
    throw new Stop(
      'failed',
      `The files name no deployed contract${contract === undefined ? '' : ` ${contract}`}${chainId === undefined ? '' : ` on chain ${chainId}`}.`,
    );
  }
  return found;
}
