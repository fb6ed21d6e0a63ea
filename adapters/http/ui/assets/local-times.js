/** Shows all times in the reader's language and time zone. Without this script, the page shows UTC. */
const format = new Intl.DateTimeFormat(navigator.languages, { dateStyle: 'medium', timeStyle: 'short' });
/** For times of which only the day matters. */
const dayFormat = new Intl.DateTimeFormat(navigator.languages, { dateStyle: 'medium' });

for (const time of document.querySelectorAll('time')) {
  const shown = time.dataset.day === undefined ? format : dayFormat;
  time.textContent = shown.format(new Date(time.dateTime));
}
