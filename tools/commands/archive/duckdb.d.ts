/** The used part of DuckDB's package: it is an optional peer, so its own types may be missing. */
declare module '@duckdb/node-api' {
  /** Decimals and large numbers are texts. Lists and structures are objects. */
  type Cell = string | number | boolean | object | null

  interface Result {
    deduplicatedColumnNames(): string[]
    columnTypes(): readonly { toString(): string }[]
    yieldRowObjectJson(): AsyncIterable<readonly Readonly<Record<string, Cell>>[]>
  }

  interface Connection {
    run(sql: string): Promise<unknown>
    stream(sql: string): Promise<Result>
    closeSync(): void
  }

  export const DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> }
}
