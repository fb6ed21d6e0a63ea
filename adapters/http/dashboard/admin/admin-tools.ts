import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { DetailedUser, UserAdministration } from '../../../../core/accounts/administration.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import type { SignUp } from '../../../../core/accounts/sign-up.ts';
import type { AuditTrail } from '../../../../core/administration/audit-trail.ts';
import type { Mails } from '../../../../core/administration/mails.ts';
import type { ShowSystem } from '../../../../core/administration/system.ts';
import { parseId, toUserId } from '../../../../core/id.ts';
import { Failure } from '../../failures.ts';
import { orFail } from '../or-fail.ts';
import { actorOf } from '../page.ts';
import type { SignedInVisit } from '../visit.ts';

/** The dependencies of the pages of administrators. */
export interface AdminTools {
  readonly users: UserAdministration;
  readonly accounts: Pick<Accounts, 'setTier' | 'listKeys' | 'revokeKey'>;
  readonly sessions: Pick<Sessions, 'list' | 'end'>;
  readonly invite: SignUp['invite'];
  readonly trail: AuditTrail;
  readonly mails: Pick<Mails, 'list' | 'show' | 'retry' | 'sendTest'>;
  readonly system: ShowSystem;
  /** The public address of the site, for links to hand over. */
  readonly baseUrl: string;
}

/** The user in the path. */
export async function userIn({ users }: AdminTools, visit: SignedInVisit): Promise<DetailedUser> {
  const id = parseId(visit.params.id ?? '', toUserId);
  if (id === undefined) throw new Failure('not_found');
  return orFail(await users.detail(String(id), actorOf(visit)));
}
