import escapeHtml from 'escape-html';

/** The parts of a page. `title` is text and `icon` an address; `head` and `body` are HTML. */
interface Page {
  readonly title: string;
  readonly icon: string;
  readonly head: string;
  readonly body: string;
}

/** Renders a whole HTML page. */
export function htmlDocument({ title, icon, head, body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>
`;
}
