import type Koa from 'koa';
import type { Caller } from '../../core/accounts/accounts.ts';
import type { Envelope } from './envelopes.ts';
import type { Failure, FailureReason } from './failures.ts';

/** What the layers of one request tell each other. */
export interface State {
  requestId: string;
  /** The shape in which a failure of this request is told. */
  envelope: Envelope;
  /** The path of the route that answers, as it was declared. */
  route?: string;
  /** The failure of a call beyond its limit. */
  exceeded?: Failure;
  /** Why the request was refused. */
  refused?: FailureReason;
  /** What was thrown, if the failure is ours. */
  error?: unknown;
  /** Who calls the account API. */
  caller?: Caller;
  /** The license that it is about, as the caller wrote it. */
  licenseKey?: string;
}

export type Context = Koa.ParameterizedContext<State>;
export type Middleware = Koa.Middleware<State>;
