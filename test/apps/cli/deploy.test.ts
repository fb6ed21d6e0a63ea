import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Account } from '../../adapters/http/account/account-service.ts';
import { type AccountService, startAccountService } from '../../adapters/http/account/account-service.ts';
import { type Computer, makeComputer } from '../../support/cli.ts';
import { itLong } from '../../support/required-service.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const hash = (digit: string) => `0x${digit.repeat(64)}`;

/** A broadcast as Foundry writes it: a contract, a factory with two more, a call, and what has failed or is not there yet. */
const broadcast = {
  chain: 11155111,
  transactions: [
    {
      ...{ hash: hash('a'), transactionType: 'CREATE', contractName: 'Token', contractAddress: address('1') },
      additionalContracts: [],
    },
    {
      ...{ hash: hash('b'), transactionType: 'CREATE2', contractName: 'Factory', contractAddress: address('2') },
      additionalContracts: [{ transactionType: 'CREATE', contractName: 'Pool', address: address('3'), initCode: '0x' }],
    },
    {
      ...{ hash: hash('c'), transactionType: 'CALL', contractName: 'Factory', contractAddress: address('2') },
      additionalContracts: [{ transactionType: 'CREATE2', contractName: null, address: address('4'), initCode: '0x' }],
    },
    {
      ...{ hash: hash('d'), transactionType: 'CALL', contractName: 'Token', contractAddress: address('1') },
      additionalContracts: [],
    },
    { hash: hash('e'), transactionType: 'CREATE', contractName: 'Broken', contractAddress: address('5') },
    { hash: hash('f'), transactionType: 'CREATE', contractName: 'Waiting', contractAddress: address('6') },
  ],
  receipts: [
    ...['a', 'b', 'c', 'd'].map((digit) => ({ transactionHash: hash(digit), status: '0x1' })),
    { transactionHash: hash('e'), status: '0x0' },
  ],
};

describe('latchkey deploy', () => {
  let service: AccountService;
  let account: Account;
  let computer: Computer;
  before(async () => {
    service = await startAccountService();
  });
  after(() => service.close());
  beforeEach(async () => {
    account = await service.account('pro');
    computer = await makeComputer({ LATCHKEY_URL: service.url });
  });
  afterEach(() => computer.folder.remove());

  const run = (...args: string[]) => computer.run(['deploy', ...args], { env: { LATCHKEY_API_KEY: account.key } });
  async function ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    expect(code, stderr).to.equal(0);
    return stdout;
  }
  async function failing(code: number, ...args: string[]): Promise<string> {
    const ending = await run(...args);
    expect([ending.code, ending.stdout], ending.stderr).to.deep.equal([code, '']);
    return ending.stderr;
  }
  async function write(name: string, content: unknown): Promise<void> {
    const path = computer.folder.file(name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const writeBroadcast = () => write('broadcast/Deploy.s.sol/11155111/run-latest.json', broadcast);
  async function writeHardhat(): Promise<void> {
    await write('deployments/base/.chainId', '8453');
    await write('deployments/base/.migrations.json', {});
    await write('deployments/base/solcInputs/0a.json', {});
    await write('deployments/base/Jar.json', {
      address: address('7'),
      transactionHash: hash('7'),
      receipt: { status: 1 },
    });
    await write('deployments/base/Jar_Proxy.json', { address: address('7'), transactionHash: hash('7') });
    await write('deployments/base/Elsewhere.json', { address: address('8') });
    await write('deployments/base/Failed.json', {
      ...{ address: address('9'), receipt: { transactionHash: hash('9'), status: 0 } },
    });
  }
  async function writeIgnition(): Promise<void> {
    await write('ignition/deployments/mine/deployed_addresses.json', {
      ...{ 'Main#Vault': address('a'), 'Main#Known': address('b') },
    });
    const lines = [
      { type: 'DEPLOYMENT_INITIALIZE', chainId: 10 },
      { type: 'TRANSACTION_SEND', futureId: 'Main#Vault', transaction: { hash: hash('1') } },
      { type: 'TRANSACTION_CONFIRM', futureId: 'Main#Vault', hash: hash('1'), receipt: { status: 'REVERTED' } },
      { type: 'TRANSACTION_CONFIRM', futureId: 'Main#Vault', hash: hash('2'), receipt: { status: 'SUCCESS' } },
    ];
    await write('ignition/deployments/mine/journal.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
  }
  const recorded = async () => {
    const { body } = await account.send('/api/deployments?limit=100');
    return body.data
      .map(
        (one: { chain: string; tx_hash: string; address: string }) =>
          `${one.chain} ${one.tx_hash[2]} ${one.address[2]}`,
      )
      .sort();
  };

  itLong('preflight says whether the plan allows a chain', async () => {
    expect(await ok('preflight', '11155111')).to.include('sepolia');
    const free = await service.account('free');
    const blocked = await computer.run(['deploy', 'preflight', '1'], { env: { LATCHKEY_API_KEY: free.key } });
    expect(blocked.code).to.equal(4);
    expect(blocked.stderr).to.include('pro');
  });

  it('register records every contract of a broadcast, also those that other contracts created, and nothing that failed', async () => {
    await writeBroadcast();
    const { code, stdout, stderr } = await run('register');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/Token +sepolia +0x1+ +registered\n/);
    expect(stderr).to.include('Broken: its transaction failed.');
    expect(stderr).to.include('Waiting: its transaction has no receipt yet. Run the script with --resume');
    expect(await recorded()).to.deep.equal(['sepolia a 1', 'sepolia b 2', 'sepolia b 3', 'sepolia c 4']);
  });

  itLong(
    'register reads all scripts and tools of a project at once, and nothing of dry runs and local chains',
    async () => {
      await writeBroadcast();
      await writeHardhat();
      await writeIgnition();
      await write('broadcast/Deploy.s.sol/11155111/dry-run/run-latest.json', 'nonsense');
      await write('broadcast/Deploy.s.sol/31337/run-latest.json', { ...broadcast, chain: 31337 });
      await write('broadcast/multi/Many.s.sol-latest/run.json', {
        deployments: [
          { ...broadcast, chain: 137, transactions: broadcast.transactions.slice(0, 1) },
          { ...broadcast, chain: 10, transactions: broadcast.transactions.slice(1, 2) },
        ],
      });
      const { stderr } = await run('register');
      expect(stderr).to.include('Left out: contracts on this computer. To record them too, use --chain-id.');
      expect(stderr).to.include('Elsewhere: its file names no transaction.');
      expect(stderr).to.include('Failed: its transaction failed.');
      expect(stderr).to.include('Known: the journal names no transaction for it.');
      const here = ['base 7 7', 'optimism 2 a', 'optimism b 2', 'optimism b 3', 'polygon a 1'];
      expect(await recorded()).to.deep.equal([...here, 'sepolia a 1', 'sepolia b 2', 'sepolia b 3', 'sepolia c 4']);
    },
  );

  itLong('register takes files and folders of each tool by name', async () => {
    await writeBroadcast();
    await writeHardhat();
    await writeIgnition();
    await ok('register', '--from', 'foundry', '--contract', 'Token');
    await ok('register', '--from', 'hardhat', 'deployments/base/Jar.json');
    await ok('register', 'ignition/deployments/mine');
    expect(await recorded()).to.deep.equal(['base 7 7', 'optimism 2 a', 'sepolia a 1']);
    await ok('register', 'broadcast/Deploy.s.sol/11155111/run-latest.json', '--chain-id', '11155111');
    expect(await recorded()).to.have.length(6);
    await ok('register', '--chain-id', '31337', '--address', address('c'), '--tx-hash', hash('c'));
    expect(await recorded()).to.include('local c c');
  });

  itLong('register says what was registered before, and what a dry run would do', async () => {
    await service.template({ slug: 'my-dex' });
    await writeBroadcast();
    const results = async (...args: string[]) =>
      JSON.parse(await ok('register', '--template', 'my-dex', '--json', ...args)).map(
        ({ result }: { result: string }) => result,
      );
    expect(await results('--dry-run')).to.deep.equal(Array(4).fill('would_be_registered'));
    expect(await recorded()).to.deep.equal([]);
    expect(await results('--contract', 'Pool')).to.deep.equal(['registered']);
    expect(await results()).to.deep.equal(['registered', 'registered', 'already_registered', 'registered']);
    expect(await results('--dry-run')).to.deep.equal(Array(4).fill('already_registered'));
    expect(await ok('register')).to.match(/Pool +sepolia +0x3+ +already registered\n/);
    expect(await recorded()).to.have.length(4);
    expect((await account.send('/api/deployments?template=my-dex')).body.data).to.have.length(4);
  });

  itLong('list shows what is registered', async () => {
    expect(await ok('list')).to.equal('');
    await writeBroadcast();
    await ok('register');
    expect(await ok('list', '--chain-id', '11155111', '--limit', '1')).to.match(/^ADDRESS.+\n0x\S+ +sepolia +no_rpc/);
    expect(JSON.parse(await ok('list', '--state', 'no_rpc', '--json'))).to.have.length(4);
    expect(JSON.parse(await ok('list', '--day', '2020-01-01', '--json'))).to.deep.equal([]);
    expect(await failing(4, 'list', '--state', 'fine')).to.include('confirmed');
  });

  it('register refuses what it cannot read, and says what to do', async () => {
    expect(await failing(2, 'register')).to.include('broadcast/Deploy.s.sol/8453/run-latest.json');
    expect(await failing(2, 'register', '--from', 'truffle')).to.include('foundry, hardhat');
    expect(await failing(2, 'register', '--chain-id', '1', '--address', address('1'))).to.include('--tx-hash');
    expect(await failing(1, 'register', 'nowhere')).to.include('nowhere');
    await write('notes.json', '{');
    expect(await failing(1, 'register', 'notes.json')).to.include('no JSON');
    await write('Token.json', { address: address('1'), transactionHash: hash('1') });
    expect(await failing(1, 'register', 'Token.json')).to.include('.chainId');
    await write('odd/run-latest.json', { ...broadcast, chain: 'odd' });
    expect(await failing(1, 'register', 'odd')).to.include('does not name the chain of Token');
    await write('empty/10/run-latest.json', { transactions: [], receipts: [] });
    expect(await failing(1, 'register', 'empty')).to.include('no deployed contract');
    expect(await recorded()).to.deep.equal([]);
  });
});
