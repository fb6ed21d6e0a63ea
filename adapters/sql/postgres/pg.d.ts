import 'pg';

/** What the driver does not declare of the limits of a statement and of what cancels one. */
declare module 'pg' {
  interface ClientConfig {
    readonly sslNegotiation?: 'postgres' | 'direct';
  }
  interface QueryConfig {
    /** Milliseconds that the driver waits for an answer. */
    readonly query_timeout?: number;
  }
  interface Connection {
    readonly ssl: boolean | object;
    readonly sslNegotiation: 'postgres' | 'direct';
    connect(port: number, host: string): void;
    /** To a socket of the system. */
    connect(path: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
  }
  interface ClientBase {
    readonly connection: Connection;
    readonly host: string;
    readonly port: number;
    readonly processID: number | null;
    readonly secretKey: number | null;
  }
}
