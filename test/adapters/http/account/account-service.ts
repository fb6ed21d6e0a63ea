import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createRender, type Render } from '../../../../adapters/files/pictures/render.ts';
import type { Argon2Cost } from '../../../../adapters/node/argon2.ts';
import { createManualClock, type ManualClock } from '../../../../adapters/node/manual-clock.ts';
import { createQueue } from '../../../../adapters/queue.ts';
import type { Database } from '../../../../adapters/sql/database.ts';
import { openService } from '../../../../apps/server/open-service.ts';
import { compose, type Parts } from '../../../../apps/wiring/compose.ts';
import { readConfig } from '../../../../apps/wiring/config.ts';
import type { CreateDispatcher, CreateWorker } from '../../../../apps/wiring/modules/work.ts';
import type { variables } from '../../../../apps/wiring/settings.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { KeyMode } from '../../../../core/accounts/api-key.ts';
import type { KeyTerms } from '../../../../core/accounts/api-key-terms.ts';
import type { Tier } from '../../../../core/accounts/tier.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { MarketplaceAdministration } from '../../../../core/marketplace/product-administration.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Template } from '../../../../core/templates/template.ts';
import type { TemplateAdministration } from '../../../../core/templates/template-administration.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { type Answer, createHttpClient, type HttpClient } from '../../../support/http-client.ts';
import { type Row, rowsOf } from '../../../support/in-memory.ts';
import { zipOf } from '../../../support/samples.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

/** An account holder with one API key, who calls over HTTP. */
export interface Account extends HttpClient {
  readonly user: User;
  readonly key: string;
  readonly keyId: number;
}

/** A service in memory whose parts, tables and files tests look into. */
export interface AccountService extends AsyncDisposable {
  readonly url: string;
  readonly clock: ManualClock;
  readonly parts: Parts;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly products: MarketplaceAdministration;
  readonly templates: TemplateAdministration;
  send(path: string, init?: RequestInit): Promise<Answer>;
  /** Adds a user with a key. */
  account(tier?: Tier, mode?: KeyMode): Promise<Account>;
  /** Adds an administrator with a key. */
  administrator(): Promise<Account>;
  /** Adds another key for a user. */
  keyOf(user: User, terms?: Partial<KeyTerms>): Promise<Account>;
  template(more?: Partial<Template>): Promise<Template>;
  /** Returns all rows of a table, in the order in which they were added. */
  rows(table: string): Promise<Row[]>;
  /** Returns the paths in the files folder, also of partly received files. */
  files(): Promise<string[]>;
  close(): Promise<void>;
}

/** The least that argon2 can do, so that tests need not wait for it. */
const leastCost: Argon2Cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** All services of a test process draw in one process, one after the other: each would need half a second to start its own. */
const drawInTurn = createQueue({ atOnce: 1, waiting: 1_000 });
const draw = createRender();
const render: Render = (...of) => drawInTurn(() => draw(...of));

/** Sends no webhooks: tests end their attempts themselves, with `attemptAll`. */
const sendsNothing: CreateDispatcher = () => ({
  take: async () => false,
  end: async () => undefined,
  idle: async () => undefined,
});

/** Does nothing in the background, so it sends no mails. Tests read the letters in the queue. */
const worksNever: CreateWorker = () => ({
  take: async () => false,
  takeOnly: async () => undefined,
  idle: async () => undefined,
  giveBack: async () => undefined,
});

/** Differences from what tests usually need. */
interface Given {
  /** A subfolder of the test's folder. */
  readonly folder?: string;
  /** If true, passwords cost as much as on a real server. */
  readonly hashesSlowly?: boolean;
  readonly log?: Logger;
  /** If true, the service sends mails and checks orders in the background, as a real server does. */
  readonly hasWorker?: boolean;
}

/** Starts a service without rate limits, unless the settings contain some. */
export async function startAccountService(
  settings: { readonly [Name in keyof typeof variables]?: string } = {},
  { folder = 'files', hashesSlowly = false, log, hasWorker = false }: Given = {},
): Promise<AccountService> {
  const home = await makeTemporaryFolder();
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const passwordCost = hashesSlowly ? undefined : leastCost;
  const createWorker = hasWorker ? undefined : worksNever;
  const wanted = readConfig({
    LOG_LEVEL: 'silent',
    RATE_LIMIT_URL: 'off:',
    DATABASE_URL: 'memory:',
    ...settings,
    FILES_URL: `disk:${home.file(folder)}`,
    PORT: '0',
  });
  const service = await openService(
    wanted,
    (config) =>
      compose(config, {
        clock,
        passwordCost,
        createDispatcher: sendsNothing,
        createWorker,
        render,
        ...(log && { log }),
      }),
    'localhost',
  ).catch(async (error) => {
    await home.remove();
    throw error;
  });
  const { parts } = service;
  const url = `http://localhost:${service.port}`;
  const [accounts, templates, disk, database] = [
    await parts.get(t.accounts),
    await parts.get(t.templateAdministration),
    await parts.get(t.disk),
    await parts.get(t.database),
  ];
  const { send } = createHttpClient(url);
  let users = 0;

  async function keyOf(user: User, terms: Partial<KeyTerms> = {}): Promise<Account> {
    const made = await accounts.createKey(
      user.email,
      { name: 'test', mode: 'live', scopes: null, expiresAt: null, ...terms },
      operator,
    );
    if (isRefused(made)) throw new Error(made.reason);
    const { secret: key } = made;
    return { user, key, keyId: made.key.id, ...createHttpClient(url, { 'X-API-Key': key }) };
  }

  const addAccount: AccountService['account'] = async (tier = 'free', mode = 'live') => {
    users++;
    const user = await accounts.add({ name: `User ${users}`, email: `user${users}@example.com`, tier }, operator);
    if (isRefused(user)) throw new Error(user.reason);
    return keyOf(user, { mode });
  };

  const close = async () => {
    await service.close(0);
    await home.remove();
  };
  return {
    url,
    clock,
    parts,
    accounts,
    templates,
    database,
    products: await parts.get(t.products),
    send,
    keyOf,
    async administrator() {
      const account = await addAccount();
      good(await (await parts.get(t.userAdministration)).setRole(account.user.email, 'admin', operator));
      return account;
    },
    account: addAccount,
    async template(more = {}) {
      const number = good(await templates.list(operator)).length + 1;
      const zip = `templates/${number}.zip`;
      const path = join(disk.staging, `template-${number}`);
      await writeFile(path, await zipOf([{ name: 'README.md', content: `Template ${number}` }]));
      await disk.put(zip, path);
      const template = await templates.add(
        {
          slug: `template-${number}`,
          title: `Template ${number}`,
          description: 'A template.',
          category: 'defi-dex',
          tier: 'free',
          tags: [],
          parameters: [],
          zip,
          ...more,
        },
        operator,
      );
      if (isRefused(template)) throw new Error(template.reason);
      return template;
    },
    rows: (table) => rowsOf(database, table),
    async files() {
      const entries = await readdir(home.file(folder), { recursive: true, withFileTypes: true });
      const root = home.file(folder);
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
