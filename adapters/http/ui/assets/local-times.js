/** Shows all times in the reader's language and time zone. Without this script, the page shows UTC. */
const format = new Intl.DateTimeFormat(navigator.languages, { dateStyle: 'medium', timeStyle: 'short' });

for (const time of document.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime));
