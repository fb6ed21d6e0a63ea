import type { Password } from '../accounts/password.ts';

/** `outdated`: the password is right, but its hash has other parameters than new hashes. */
export type PasswordMatch = 'wrong' | 'right' | 'outdated';

/** Hashes passwords slowly. Throws `Unavailable` if too many hashes are waiting. */
export interface PasswordHasher {
  /** Returns a text that contains algorithm, parameters and salt. Equal passwords have different hashes. */
  hash(password: Password): Promise<string>;
  /** Without a hash, the result is `wrong`, and takes as long as with one. */
  verify(hash: string | undefined, password: Password): Promise<PasswordMatch>;
}
