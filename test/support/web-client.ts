import { type HtmlForm, type HtmlPage, readHtml } from './html.ts';

/** An answer that a browser would show. */
export interface WebAnswer extends HtmlPage {
  readonly status: number;
  readonly headers: Headers;
  /** Where it leads, as a path of the site. Other sites keep their origin. */
  readonly location: string | undefined;
  /** The path that it came from. */
  readonly path: string;
  readonly html: string;
  /** The `Set-Cookie` headers by the name of the cookie, in lower case. */
  readonly setCookies: Readonly<Record<string, string>>;
}

/** The fields that a person fills in. A form with a file is sent as `multipart/form-data`. */
export type Fields = Readonly<Record<string, string | readonly string[] | File>>;

/** A browser without scripts: keeps cookies, follows no redirect by itself, reads and sends forms. */
export interface WebClient {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<WebAnswer>;
  /** Sends a form. A text or bytes are sent unchanged. */
  post(
    path: string,
    body: Fields | FormData | string | Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<WebAnswer>;
  /** Asks for a page, and follows all redirects. */
  open(path: string): Promise<WebAnswer>;
  /** Follows a redirect to its end. Returns other answers unchanged. */
  follow(answer: WebAnswer): Promise<WebAnswer>;
  /**
   * Sends the form of a page as a browser would, with all its fields. `fields` are what the person types. `submit`
   * chooses one of several forms by the text of its button.
   */
  submit(page: WebAnswer, fields?: Fields, submit?: string): Promise<WebAnswer>;
  /** `get` and `submit` in one: opens the page and sends its form. */
  fill(path: string, fields: Fields): Promise<WebAnswer>;
  /** Another browser with copies of these cookies. */
  copy(): WebClient;
}

/** The headers of a browser that sends a form of the same site. */
const ofBrowser = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};
const fromHere = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' };

/** `always`: headers of every request, such as `X-Forwarded-For`. */
export function createWebClient(
  url: string,
  always: Readonly<Record<string, string>> = {},
  known: Iterable<readonly [string, string]> = [],
): WebClient {
  const cookies = new Map<string, string>(known);

  async function send(path: string, method: string, headers: Readonly<Record<string, string>>, body?: BodyInit) {
    const all = new Headers({ ...ofBrowser, ...always });
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookie) all.set('Cookie', cookie);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await fetch(url + path, { method, headers: all, redirect: 'manual', ...(body && { body }) });
    const set = response.headers.getSetCookie();
    for (const line of set) keep(cookies, line);
    return answerOf(url, path, response, set, await response.text());
  }

  const client: WebClient = {
    cookies,
    get: (path, headers = {}) => send(path, 'GET', headers),
    post: (path, body, headers = {}) => {
      const bytes = bodyOf(body);
      const sent = bytes instanceof FormData ? { 'Sec-Fetch-Site': 'same-origin' } : fromHere;
      return send(path, 'POST', { ...sent, ...headers }, bytes);
    },
    open: async (path) => client.follow(await client.get(path)),
    async follow(answer) {
      let last = answer;
      for (let hops = 0; last.location !== undefined; hops++) {
        if (hops === 10) throw new Error(`${answer.path} leads in a circle.`);
        last = await client.get(last.location);
      }
      return last;
    },
    async submit(page, fields = {}, submit) {
      const form = formOf(page, submit);
      const unknown = Object.keys(fields).filter((name) => !form.names.includes(name));
      if (unknown.length > 0) throw new Error(`The form on ${page.path} has no field ${unknown.join(', ')}.`);
      const at = new URL(form.action, url + page.path);
      const path = form.action === '' ? page.path : at.pathname + at.search;
      const all = { ...form.common, ...form.values, ...fields };
      return await client.post(path, form.isMultipart ? multipartOf(all) : all);
    },
    fill: async (path, fields) => client.submit(await client.open(path), fields),
    copy: () => createWebClient(url, always, cookies),
  };
  return client;
}

/** The form with this button, or the first one that is not in the header or the navigation. */
function formOf(page: WebAnswer, submit: string | undefined): HtmlForm {
  const found = page.forms.find((form) => (submit === undefined ? form.names.length > 0 : form.submit === submit));
  const form =
    found ?? (submit === undefined ? page.forms.find(({ action }) => !action.endsWith('sign-out')) : undefined);
  if (form === undefined) throw new Error(`${page.path} (${page.status}) has no such form: ${page.text}`);
  return form;
}

function bodyOf(body: Fields | FormData | string | Uint8Array): BodyInit {
  if (body instanceof FormData) return body;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const pairs = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  const texts = pairs.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  if (texts.length === pairs.length) return new URLSearchParams(texts).toString();
  return multipartOf(body);
}

function multipartOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one);
  return form;
}

/** Keeps or deletes a cookie. Ignores `Secure`, as if a proxy had ended https. */
function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (value === '' || /;\s*expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

function answerOf(url: string, path: string, response: Response, set: string[], html: string): WebAnswer {
  const { status, headers } = response;
  const to = headers.get('Location');
  const target = to === null ? undefined : new URL(to, url + path);
  const location = target && (target.origin === new URL(url).origin ? target.pathname + target.search : target.href);
  const setCookies = Object.fromEntries(set.map((line) => [line.slice(0, line.indexOf('=')), line.toLowerCase()]));
  // Not a spread, which would read every part of the page.
  return Object.assign(readHtml(html), { status, headers, location, path, html, setCookies });
}
