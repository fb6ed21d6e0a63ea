/** Passwords that attackers try first. */
export interface CommonPasswords {
  /** `password` is in lower case. */
  includes(password: string): Promise<boolean>;
}
