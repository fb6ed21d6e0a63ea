export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as a client does
  readonly body: any;
}

/** An HTTP client for one server. */
export interface HttpClient {
  send(path: string, init?: RequestInit): Promise<Answer>;
  get(path: string, query?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  /** Posts JSON. A string is sent unchanged. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Posts a form. */
  submit(path: string, form: FormData, headers?: Record<string, string>): Promise<Answer>;
}

/** `always`: headers of every request. */
export function createHttpClient(url: string, always: Readonly<Record<string, string>> = {}): HttpClient {
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(always);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(url + path, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  return {
    send,
    get: (path, query = {}, headers = {}) => send(`${path}?${new URLSearchParams(query)}`, { headers }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    submit: (path, form, headers = {}) => send(path, { method: 'POST', headers, body: form }),
  };
}
