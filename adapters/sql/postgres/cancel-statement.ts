import { isIP, Socket } from 'node:net';
import pg from 'pg';

/** Milliseconds that the request may take. A silent server would never answer it. */
const patience = 2_000;

/**
 * Asks the server, on a new socket, to cancel the running statement of this connection. Nothing else ends a commit that
 * waits for a standby: neither `statement_timeout` nor closing the connection. The writes of such a commit stay.
 * Resolves when the request has succeeded or failed; never throws. The connection must stay open until then, because a
 * pooler forgets closed connections.
 */
export async function cancelStatement({ connection, host, port, processID, secretKey }: pg.ClientBase): Promise<void> {
  if (processID === null || secretKey === null) return;
  const { ssl, sslNegotiation, stream } = connection;
  // The host name may resolve to another server now.
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

/** Checks the certificate against the host name, although the request goes to the address. */
function certifiedFor(host: string, ssl: true | object): object {
  return { ...(ssl === true ? {} : ssl), host, ...(isIP(host) === 0 && { servername: host }) };
}
