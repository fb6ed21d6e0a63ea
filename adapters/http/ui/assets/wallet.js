/**
 * Offers to pay with the wallets that this browser has (EIP-6963). The wallet shows the payment, and its owner confirms. The page then looks
 * for the transaction that the wallet names. Or the wallet signs a text of the page (`data-signs`), and the form is sent. Nothing is asked of any
 * other site. Without this script, one does it by hand.
 */

/**
 * @typedef {object} Provider
 * @property {(call: { method: string, params?: unknown[] }) => Promise<unknown>} request
 */

const offers = [...document.querySelectorAll('[data-wallets]')].filter((one) => one instanceof HTMLElement);
/** @type {Set<unknown>} */
const announced = new Set();

for (const offer of offers) {
  if (offer.dataset.isFailed !== undefined) localStorage.removeItem(memoryOf(offer));
  const hash = sentFrom(offer);
  if (hash !== undefined) showSent(offer, hash);
}

addEventListener('eip6963:announceProvider', (event) => {
  const { info, provider } = event instanceof CustomEvent ? (event.detail ?? {}) : {};
  if (typeof info?.name !== 'string' || typeof provider?.request !== 'function' || announced.has(info.uuid)) return;
  announced.add(info.uuid);
  for (const offer of offers) {
    if (sentFrom(offer) === undefined) addButton(offer, info.name.slice(0, 40), provider);
  }
});
if (offers.length > 0) dispatchEvent(new Event('eip6963:requestProvider'));

/**
 * @param {HTMLElement} offer
 * @param {string} name
 * @param {Provider} provider
 */
function addButton(offer, name, provider) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.textContent = (offer.dataset.pay ?? '').replace('{wallet}', () => name);
  offer.querySelector('.choices')?.append(button);
  offer.hidden = false;
  button.addEventListener('click', async () => {
    const status = offer.querySelector('[role=status]');
    const say = (/** @type {string | undefined} */ text = '') => {
      if (status) status.textContent = text;
    };
    lock(true);
    say(offer.dataset.confirm);
    try {
      if (offer.dataset.signs !== undefined) {
        say((await sign(offer, provider)) ? offer.dataset.done : offer.dataset.otherAccount);
        return;
      }
      const hash = await pay(offer, provider);
      say();
      if (hash === undefined) say(offer.dataset.otherChain);
      else {
        localStorage.setItem(memoryOf(offer), hash);
        for (const one of offers) showSent(one, hash);
        location.assign(addressOf(offer, hash));
      }
    } catch (error) {
      say(refusalOf(offer, error));
    } finally {
      lock(false);
    }
  });
}

/**
 * Two payments at once would be one too many.
 *
 * @param {boolean} isBusy
 */
function lock(isBusy) {
  for (const button of document.querySelectorAll('[data-wallets] button')) {
    if (button instanceof HTMLButtonElement) button.disabled = isBusy;
  }
}

/**
 * Returns the hash of the transaction, or `undefined` if the wallet stays on another chain: there, the payment would be lost.
 *
 * @param {HTMLElement} offer
 * @param {Provider} provider
 */
async function pay({ dataset: { chain, token, call } }, provider) {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const isThere = async () => Number(await provider.request({ method: 'eth_chainId' })) === Number(chain);
  if (!(await isThere())) {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] }).catch((error) => {
      if (codeOf(error) === 4001) throw error;
    });
    if (!(await isThere())) return undefined;
  }
  const from = Array.isArray(accounts) ? accounts[0] : undefined;
  const transaction = { from, to: token, data: call, value: '0x0', chainId: chain };
  return String(await provider.request({ method: 'eth_sendTransaction', params: [transaction] }));
}

/**
 * Lets the account that the page names sign its text (EIP-191), and sends the form. Returns false if the wallet shows other accounts.
 *
 * @param {HTMLElement} offer
 * @param {Provider} provider
 */
async function sign({ dataset: { signs = '', account = '' } }, provider) {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const isWanted = (/** @type {unknown} */ one) => String(one).toLowerCase() === account.toLowerCase();
  if (!Array.isArray(accounts) || !accounts.some(isWanted)) return false;
  const [text, field] = [document.getElementById(signs), document.querySelector('textarea[name=signature]')];
  if (!(text instanceof HTMLTextAreaElement) || !(field instanceof HTMLTextAreaElement)) return false;
  const bytes = [...new TextEncoder().encode(text.value)].map((byte) => byte.toString(16).padStart(2, '0'));
  const params = [`0x${bytes.join('')}`, account];
  field.value = String(await provider.request({ method: 'personal_sign', params }));
  field.form?.requestSubmit();
  return true;
}

/**
 * @param {HTMLElement} offer
 * @param {unknown} error
 */
function refusalOf({ dataset: { declined, busy, failed = '' } }, error) {
  if (codeOf(error) === 4001) return declined;
  if (codeOf(error) === -32002) return busy;
  const reason = error instanceof Object && 'message' in error ? String(error.message) : String(error);
  return failed.replace('{reason}', () => reason.slice(0, 200));
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Object && 'code' in error ? error.code : undefined;
}

/**
 * Says that the payment was sent, in the place of the buttons.
 *
 * @param {HTMLElement} offer
 * @param {string} hash
 */
function showSent(offer, hash) {
  const link = offer.querySelector('a');
  const sent = link?.closest('p');
  if (!link || !sent) return;
  link.href = addressOf(offer, hash);
  // A wallet can give up what it has sent.
  sent.querySelector('button')?.addEventListener('click', () => {
    localStorage.removeItem(memoryOf(offer));
    location.assign(offer.dataset.wallets ?? '');
  });
  for (const part of offer.children) if (part instanceof HTMLElement) part.hidden = part !== sent;
  offer.hidden = false;
}

/**
 * The address at which the page looks for a transaction.
 *
 * @param {HTMLElement} offer
 * @param {string} hash
 */
function addressOf({ dataset: { wallets } }, hash) {
  return `${wallets}?tx=${encodeURIComponent(hash)}#paid`;
}

/**
 * Returns the transaction with which this browser has paid.
 *
 * @param {HTMLElement} offer
 * @returns {string | undefined}
 */
function sentFrom(offer) {
  return localStorage.getItem(memoryOf(offer)) ?? undefined;
}

/**
 * The payment of the order, on whichever chain, or its rest after so many transfers have come.
 *
 * @param {HTMLElement} offer
 */
function memoryOf({ dataset: { wallets, arrived } }) {
  return `paid ${wallets} ${arrived}`;
}
