import type { Role } from '../../core/accounts/role.ts';
import { done, operator } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';

/** The password of all people of the demo. */
export const password = 'sells-templates-all-day';

/** The people who can sign in on the pages. */
export const people = {
  seller: { email: 'seller@example.com', name: 'Ada Lovelace', role: null, place: 'selling/live' },
  buyer: { email: 'buyer@example.com', name: 'Grace Hopper', role: null, place: 'account/purchases' },
  administrator: { email: 'admin@example.com', name: 'Alan Turing', role: 'admin', place: 'admin/orders' },
} as const satisfies Record<string, { email: string; name: string; role: Role | null; place: string }>;

/** Opens their accounts, as with an invitation. */
export async function addPeople(parts: Parts): Promise<void> {
  const signUp = await parts.get(t.signUp);
  const from = { address: '127.0.0.1', browser: 'demo', device: undefined };
  await Promise.all(
    Object.values(people).map(async ({ email, name, role }) => {
      const { token = '' } = done(await signUp.invite({ email, role, deliver: 'return' }, operator));
      done(await signUp.acceptInvitation(token, { name, password }, from));
    }),
  );
}
