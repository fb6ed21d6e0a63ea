import { connect, type Socket } from 'node:net';

/** Connects, sends bytes (as latin1), and leaves the connection open. */
export function dial(url: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1', () => resolve(socket)));
    socket.on('error', reject);
  });
}

/** Sends bytes (as latin1) with `Connection: close`, and returns the whole answer. */
export async function raw(url: string, bytes: string): Promise<string> {
  const socket = await dial(url, bytes.replace('\r\n', '\r\nConnection: close\r\n'));
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
