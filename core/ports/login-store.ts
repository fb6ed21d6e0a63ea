import type { Login } from '../accounts/login.ts';
import type { UserId } from '../id.ts';
import type { ChangeById } from './change.ts';

/** The users with the data for signing in. */
export interface LoginStore {
  find(id: UserId): Promise<Login | undefined>;
  /** `email` is in lower case. */
  findByEmail(email: string): Promise<Login | undefined>;
  /** Whether any user is an administrator. */
  hasAdministrator(): Promise<boolean>;
  /** Never changes name, e-mail address, role or suspension: those belong to other stores. */
  readonly change: ChangeById<UserId, Login>;
}
