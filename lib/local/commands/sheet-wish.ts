import type { Store } from '#lib/store/store.ts'

/** What an operator wants of a carrier's sheet. */
export interface SheetWish {
  readonly path: string
  readonly dryRun: boolean
  readonly profile: string | undefined
  /** `key=value`, on top of the profile. */
  readonly answers: readonly string[]
  readonly acceptRejected: boolean
  readonly allowRemovals: boolean
  /** Of how many days calls are looked at. */
  readonly checkUse?: number | undefined
}

export interface RatesWorld {
  readonly store: Store
  readonly clock: () => Date
  /** For the log. */
  readonly who: string
  readonly say: (line: string) => void
  /** Asks at the terminal; `undefined` where there is nobody to ask. */
  readonly ask: ((question: string, choices: readonly string[]) => Promise<string>) | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number) => void
}
