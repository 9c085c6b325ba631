/** The part of Stryker that `npm run mutate` uses: an optional peer, whose types may be missing. */
declare module '@stryker-mutator/core' {
  interface Options {
    readonly mutate: readonly string[]
    readonly incrementalFile: string
    readonly force: boolean
  }

  export const Stryker: new (options: Options) => { runMutationTest(): Promise<unknown> }
}
