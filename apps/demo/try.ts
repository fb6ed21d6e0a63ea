/** A command line to paste: what it shows, the expected status and outcome, and the line itself. */
export type Try = readonly [what: string, outcome: string, line: string];

/** Writes command lines that call the demo's server. */
export interface Client {
  curl(path: string, more?: string): string;
  get(path: string, parameters: Record<string, string>): string;
}

export const json = ` -H 'Content-Type: application/json'`;

export function clientOf(url: string): Client {
  const curl = (path: string, more = '') => `curl -sw ' %{http_code}\\n' '${url}${path}'${more}`;
  return { curl, get: (path, parameters) => curl(`${path}?${new URLSearchParams(parameters)}`) };
}

export function printTries(tries: readonly Try[]): string {
  return tries.map(([what, outcome, line]) => `# ${what} -> ${outcome}\n${line}\n`).join('\n');
}
