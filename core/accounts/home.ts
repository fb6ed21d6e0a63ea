/** The page of the dashboard that somebody comes to after the sign-in, unless another one was wanted. */
export type Home = 'selling-live' | 'selling-test' | 'admin' | 'purchases';

/** What a person does here. */
export interface Doings {
  /** Whether they have a live product, or a test product, that is not archived. */
  readonly sellsLive: boolean;
  readonly sellsTest: boolean;
  readonly isAdmin: boolean;
}

/** Who sells comes to the overview of selling, an administrator who sells nothing to the administration, others to their purchases. */
export function homeOf({ sellsLive, sellsTest, isAdmin }: Doings): Home {
  if (sellsLive) return 'selling-live';
  if (sellsTest) return 'selling-test';
  return isAdmin ? 'admin' : 'purchases';
}
