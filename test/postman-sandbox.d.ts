declare module 'postman-sandbox' {
  /** The part that the tests use. */
  interface Context {
    execute(script: unknown, options: unknown, done: (error: Error | null, execution: never) => void): void
    dispose(): void
  }

  const Sandbox: { createContext(done: (error: Error | null, context: Context) => void): void }
  // biome-ignore lint/style/noDefaultExport: it is theirs
  export default Sandbox
}
