import { createLicenseGuard } from 'latchkey-sdk';

// Change these two lines.
const guard = createLicenseGuard({
  url: 'https://licenses.example.com',
  licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
});

/** What the owner reads if the license is invalid. */
const explanations = {
  invalid_domain: 'The license is not active on this domain.',
  invalid_key: 'There is no license with this key. Check it for mistakes.',
  expired: 'The license has ended. Renew it where you bought it.',
  suspended: 'The license is suspended. Ask the seller why.',
  revoked: 'The license was revoked. Ask the seller why.',
};

const find = (id) => document.getElementById(id);
const isOwner = new URLSearchParams(location.search).has('owner');
find('owner').hidden = !isOwner;

/** Only `invalid` stops the page. Without an answer, it works as usual, and only the owner reads about it. */
function show({ state, reason, expiresAt }) {
  find('wallet').hidden = state === 'invalid';
  find('off').hidden = state !== 'invalid' || isOwner;
  find('owner').classList.toggle('wrong', state === 'invalid');
  find('activate').hidden = reason !== 'invalid_domain';
  find('state').textContent = {
    valid: `Valid on ${location.hostname}, ${expiresAt ? `until ${expiresAt.toLocaleDateString()}` : 'without end'}.`,
    invalid: explanations[reason] ?? `The license is not valid (${reason}).`,
    unknown: `The license server gave no answer (${reason}). Until it does, the site works as usual.`,
  }[state];
}

find('activate').addEventListener('click', async ({ target }) => {
  target.disabled = true;
  const done = await guard.activate(); // If it worked, `onChange` tells the new state.
  target.disabled = false;
  if (!done.ok) find('state').textContent = done.message ?? `That did not work (${done.reason}).`;
});

guard.onChange(show);
// The guard asks the server about once an hour, however often it is called.
setInterval(() => guard.check(), 10 * 60_000);

/** Whether the page may work: unless the server says that the license is invalid. Never throws. */
export async function mayWork() {
  const { state } = await guard.check();
  return state !== 'invalid';
}
