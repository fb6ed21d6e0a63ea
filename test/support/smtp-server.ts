import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message as the server got it. */
export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly raw: string;
  readonly mail: ParsedMail;
}

export interface SmtpReceiver extends AsyncDisposable {
  readonly port: number;
  readonly received: readonly Received[];
}

/** An answer to RCPT TO, such as 451. */
export const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

/** Starts a real SMTP server on a free port. Without options it takes all mails, without login and TLS. */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<SmtpReceiver> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope, secure, user }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          isSecure: secure,
          user: typeof user === 'string' ? user : undefined,
          raw: raw.toString('latin1'),
          mail: await simpleParser(raw),
        });
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const listening = await new Promise<Server>((resolve) => {
    const started: Server = server.listen(0, '127.0.0.1', () => resolve(started));
  });
  return {
    port: portOf(listening),
    received,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A server that accepts connections and says nothing more than `greeting`. */
export async function startSilent(greeting = ''): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
