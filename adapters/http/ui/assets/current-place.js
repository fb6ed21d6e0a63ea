/** On a narrow screen, the pages of an area are tabs in one line that scrolls. It begins with the current one in sight. */
const places = document.querySelector('.places');
const current = places?.querySelector('li > [aria-current]');

if (places && current) {
  const [box, own] = [places.getBoundingClientRect(), current.getBoundingClientRect()];
  places.scrollLeft += own.left + own.width / 2 - (box.left + box.width / 2);
}
