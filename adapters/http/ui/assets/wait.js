/**
 * Looks every few seconds if the state of an order has changed, and then shows the page anew. Looks ever more seldom,
 * and stops after some minutes. Without this script, the page loads itself again.
 */
const waiting = document.querySelector('[data-wait]');
const longest = 30_000;

if (waiting instanceof HTMLElement) look(waiting.dataset.wait ?? '', waiting.dataset.state ?? '', 2_000);

/**
 * @param {string} address
 * @param {string} state
 * @param {number} pause
 */
function look(address, state, pause) {
  setTimeout(async () => {
    if ((await stateAt(address, state)) !== state) location.reload();
    else if (pause < longest) look(address, state, pause * 1.25);
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
