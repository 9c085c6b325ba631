import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { inBatches } from '#lib/domain/collections.ts'
import type { CallChange } from '#lib/store/calls/call-storage.ts'

/** Changes on the disk, between being shown and being made: however many there are, memory holds a few. */
export interface CallSpool {
  add(change: CallChange): void
  /** All of them, in their order, some at a time. Nothing can be added any more. */
  changes(size: number): AsyncGenerator<CallChange[]>
  remove(): Promise<void>
}

export async function createCallSpool(): Promise<CallSpool> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-rerate-'))
  const path = join(folder, 'changes')
  const file = createWriteStream(path, { mode: 0o600 })
  let failure: Error | undefined
  file.on('error', (error) => {
    failure = error
  })
  return {
    add: (change) => void file.write(`${JSON.stringify(change)}\n`),
    async *changes(size) {
      file.end()
      await finished(file)
      if (failure) throw failure
      const lines = createInterface({ input: createReadStream(path) })
      for await (const some of inBatches(lines, size))
        yield some.map((line) => JSON.parse(line) as CallChange)
    },
    remove: async () => {
      file.end()
      await finished(file).catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
