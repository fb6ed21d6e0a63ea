import type { PasswordFault } from '../../../../core/accounts/password.ts';
import { texts } from '../../ui/texts.ts';
import type { RefusalMessage } from '../form.ts';

const { passwords } = texts.signIn;

/** Refusals of a new password, beside its field. */
export const passwordRefusals = {
  password_too_short: { field: 'password', text: passwords.password_too_short },
  password_too_long: { field: 'password', text: passwords.password_too_long },
  password_personal: { field: 'password', text: passwords.password_personal },
  password_common: { field: 'password', text: passwords.password_common },
} as const satisfies Record<PasswordFault, RefusalMessage>;
