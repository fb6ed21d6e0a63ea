/**
 * Looks every few seconds if the state of an order has changed, and then shows the page anew. Looks ever more seldom,
 * and stops after some minutes. It starts again when somebody comes back to the page. Without this script, the page of a
 * payment outside loads itself again, and others have a link for it.
 */
const waiting = document.querySelector('[data-wait]');
const first = 2_000;
const longest = 30_000;
let isLooking = false;

if (waiting instanceof HTMLElement) {
  const { wait: address = '', state = '' } = waiting.dataset;
  look(address, state, first);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !isLooking) look(address, state, first);
  });
}

/**
 * @param {string} address
 * @param {string} state
 * @param {number} pause
 */
function look(address, state, pause) {
  isLooking = true;
  setTimeout(async () => {
    if ((await stateAt(address, state)) !== state) location.reload();
    else if (pause < longest) look(address, state, pause * 1.25);
    else isLooking = false;
  }, pause);
}

/**
 * If the server cannot be asked, nothing has changed.
 * @param {string} address
 * @param {string} state
 */
async function stateAt(address, state) {
  try {
    const answer = await fetch(address);
    return answer.ok ? await answer.text() : state;
  } catch {
    return state;
  }
}
