import { isRefused, type Refused } from '../../../core/refusal.ts';
import { Failure, type FailureReason } from '../failures.ts';
import { texts } from '../ui/texts.ts';

/** Refusals after which there is no form to show. They become a page of their own. */
const failing = {
  forbidden: 'forbidden',
  user_not_found: 'not_found',
  key_not_found: 'not_found',
  mail_not_found: 'not_found',
  unknown_place: 'not_found',
  product_not_found: 'not_found',
  invalid_key: 'not_found',
  webhook_not_found: 'not_found',
  delivery_not_found: 'not_found',
  order_not_found: 'not_found',
  not_found: 'not_found',
} as const satisfies Record<string, FailureReason>;

/** The refusals that a form shows. `never` if there are none. */
type Shown<Reason extends string> = Reason extends keyof typeof failing ? never : Refused<Reason>;

/** Returns a value, or a refusal that a form shows. Throws the others. */
export function orFail<T, Reason extends string>(value: T | Refused<Reason>): T | Shown<Reason>;
export function orFail<T>(value: T | Refused): T | Refused {
  const failure = isRefused(value) ? failureOf(value) : undefined;
  if (failure === undefined) return value;
  throw new Failure(failure, failure === 'forbidden' ? { detail: texts.failure.noRight } : {});
}

function failureOf({ reason }: Refused): FailureReason | undefined {
  const all: Readonly<Record<string, FailureReason>> = failing;
  return Object.hasOwn(all, reason) ? all[reason] : undefined;
}
