import 'pg';

/** Members of the driver that its own types lack: for timeouts of statements, and for cancelling them. */
declare module 'pg' {
  interface ClientConfig {
    readonly sslNegotiation?: 'postgres' | 'direct';
  }
  interface QueryConfig {
    /** Timeout of the driver for an answer, in milliseconds. */
    readonly query_timeout?: number;
  }
  interface Connection {
    readonly ssl: boolean | object;
    readonly sslNegotiation: 'postgres' | 'direct';
    connect(port: number, host: string): void;
    /** Connects to a Unix domain socket. */
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
