import type { FailureReason } from './failures.ts';

/** How a failure is sent: its status and its default message, and what differs on some surfaces. */
export interface Appearance {
  readonly status: number;
  readonly message: string;
  /** The code on the account API, if it is not the reason in capitals. */
  readonly accountCode?: string;
  /** The status on verify, because a refused license is a normal result there and no error. */
  readonly verifyStatus?: number;
  /** Numbers that the account API sends in addition to code and message: their names with their descriptions. */
  readonly figures?: Readonly<Record<string, string>>;
}

/** How a refusal of core is sent. */
export interface SentBy {
  /** The failure on the account API. */
  readonly account: FailureReason;
  /** The parameter that it is about. */
  readonly field?: string;
  /** The message if core gives none and that of the failure would be wrong. */
  readonly message?: string;
  /** The page on the dashboard if there is no form to show. Without it, the form or button has its own words for it. */
  readonly page?: 'not_found' | 'forbidden';
}
