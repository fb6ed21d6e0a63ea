import { isIP, Socket } from 'node:net';
import pg from 'pg';

/** Milliseconds that the server may take for it: one that is silent takes nothing. */
const patience = 2_000;

/**
 * Asks the server, on a socket of its own, to break off what this connection is doing. A commit that waits for a standby ends by
 * nothing else: not by `statement_timeout`, and not when its client goes away. What it wrote stays. Resolves when the server has
 * taken the request, or did not take it; never throws. The connection must stay open until then: a pooler forgets what is closed.
 */
export async function cancelStatement({ connection, host, port, processID, secretKey }: pg.ClientBase): Promise<void> {
  if (processID === null || secretKey === null) return;
  const { ssl, sslNegotiation, stream } = connection;
  // A name may lead elsewhere by now.
  const address = (stream instanceof Socket ? stream.remoteAddress : undefined) ?? host;
  const request = new pg.Connection({ ssl: ssl && certifiedFor(host, ssl), sslNegotiation });
  const cancel = () => request.cancel(processID, secretKey);
  await new Promise<void>((resolve) => {
    const late = setTimeout(() => request.stream.destroy(), patience);
    request.on('end', () => {
      clearTimeout(late);
      resolve();
    });
    request.on('error', () => request.stream.destroy());
    request.on('sslconnect', cancel);
    request.on('connect', () => {
      if (!ssl) cancel();
      else if (sslNegotiation === 'postgres') request.requestSsl();
    });
    if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`);
    else request.connect(port, address);
  });
}

/** The certificate is that of the host's name, although its address is called. */
function certifiedFor(host: string, ssl: true | object): object {
  return { ...(ssl === true ? {} : ssl), host, ...(isIP(host) === 0 && { servername: host }) };
}
