import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { ApiKey } from '../../../../core/accounts/api-key.ts';
import type { Tier } from '../../../../core/accounts/tier.ts';
import type { AccountUsage } from '../../../../core/accounts/usage.ts';
import type { PlanContents } from '../../../../core/plans/plan.ts';
import type { FileLedger } from '../../../../core/ports/file-ledger.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Once } from '../once.ts';
import { actorOf } from '../page.ts';
import type { SignedInVisit } from '../visit.ts';

/** The dependencies of the pages about the plan and its API keys. */
export interface PlanTools {
  readonly accounts: Pick<Accounts, 'find' | 'createKey' | 'listKeys' | 'revokeKey' | 'rotateKey'>;
  readonly usage: AccountUsage;
  contentsOf(tier: Tier): PlanContents;
  readonly files: Pick<FileLedger, 'used'>;
  readonly once: Once;
  /** The public address of the site, for sample calls. */
  readonly baseUrl: string;
}

/** The signed-in person, as use cases take a user: the id in digits. */
export function ownerOf({ me }: SignedInVisit): string {
  return String(me.login.id);
}

/** The keys of the signed-in person, newest first. */
export async function ownKeys({ accounts }: PlanTools, visit: SignedInVisit): Promise<ApiKey[]> {
  const keys = await accounts.listKeys(ownerOf(visit), actorOf(visit));
  if (isRefused(keys)) throw new Failure('not_found');
  return keys;
}

/** The key in the path. Throws `not_found` if it belongs to somebody else, even for administrators. */
export async function ownKey(tools: PlanTools, visit: SignedInVisit): Promise<ApiKey> {
  const key = (await ownKeys(tools, visit)).find(({ id }) => String(id) === visit.params.id);
  if (key === undefined) throw new Failure('not_found');
  return key;
}
