/** The part of Stryker that `npm run mutate` uses. It is an optional peer, so its own types may be missing. */
declare module '@stryker-mutator/core' {
  interface Options {
    readonly mutate: readonly string[]
    readonly incrementalFile: string
    readonly force: boolean
  }

  export const Stryker: new (options: Options) => { runMutationTest(): Promise<unknown> }
}
