import type Koa from 'koa';
import type { KeyCaller } from '../../core/accounts/api-keys.ts';
import type { SignedIn } from '../../core/accounts/signed-in.ts';
import type { Encoding } from './encodings.ts';
import type { Envelope } from './envelopes.ts';
import type { Failure, FailureReason } from './failures.ts';
import type { Surface } from './surface.ts';
import type { Text } from './ui/send-page.ts';

/** Data that the layers of one request share. */
export interface State {
  requestId: string;
  /** The form in which failures of this request are sent. */
  envelope: Envelope;
  /** The surface that owns the path, once it is made. The shortcut does not set it. */
  surface?: Surface;
  /** The id of the matched endpoint. */
  endpoint?: string;
  /** The path of the matched route, as declared. */
  route?: string;
  /** The failure to send, if the call exceeds its rate limit. */
  exceeded?: Failure;
  /** Why the request was refused. */
  refused?: FailureReason;
  /** The thrown error, if the failure is our fault. */
  error?: unknown;
  /** The clock of a test license forces this failure. */
  isForced?: true;
  /** The caller of the account API. */
  caller?: KeyCaller;
  /** The person who is signed in, on pages. */
  me?: SignedIn;
  /** The text that is sent, if it is one. */
  sent?: Text;
  /** How the body is sent, if not as it is. */
  encoded?: { readonly encoding: Encoding; readonly audience: Text['audience'] };
  /** The license key in the request, as the caller wrote it. */
  licenseKey?: string;
}

export type Context = Koa.ParameterizedContext<State>;
export type Middleware = Koa.Middleware<State>;
