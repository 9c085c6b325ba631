/** The functions that take a text apart, and what a call of each counts for. */
const COUNTED: readonly (readonly [
  owner: object,
  name: string,
  weigh: (result: never, text: never) => number,
])[] = [
  [String.prototype, 'charCodeAt', () => 1],
  [String.prototype, 'indexOf', () => 1],
  [String.prototype, 'split', (pieces: readonly string[]) => pieces.length],
  [Buffer.prototype, 'latin1Slice', () => 1],
  [globalThis, 'decodeURIComponent', (_decoded, text: string) => text.length],
]

/** The characters that a run looks at one by one, and the pieces that it makes of texts. */
export async function countWork(run: () => unknown): Promise<number> {
  let work = 0
  const undo = COUNTED.map(([owner, name, weigh]) => {
    const original = Reflect.get(owner, name)
    Reflect.set(owner, name, function counted(this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(original, this, args)
      work += weigh(result as never, args[0] as never)
      return result
    })
    return () => Reflect.set(owner, name, original)
  })
  try {
    await run()
  } finally {
    for (const restore of undo) restore()
  }
  return work
}
