import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { csvLine } from '#lib/csv/writer.ts'

/** The cells of a row, in the order of the columns, and those beyond the known columns. */
export interface WrittenRow {
  readonly cells: readonly string[]
  readonly further: readonly (readonly [name: string, value: string])[]
}

/** A file of a dataset while it is written. It has a temporary name until `keep`. */
export interface WrittenFile {
  add(row: WrittenRow): Promise<void>
  /** Gives the file its final path and returns it. */
  keep(): Promise<string>
  discard(): Promise<void>
}

const OWNER_ONLY_MODE = 0o600
const BUFFER_CHARACTERS = 65_536

/** Creates a CSV file whose columns are all known. `path` has no ending. */
export async function createCsvFile(path: string, columns: readonly string[]): Promise<WrittenFile> {
  const part = await createPart(path)
  await part.write(csvLine(columns))
  return {
    add: ({ cells }) => part.write(csvLine(cells)),
    keep: () => part.keep(`${path}.csv`),
    discard: part.discard,
  }
}

/**
 * Creates a file whose rows may differ in further columns: CSV if all have the same ones, otherwise NDJSON,
 * in which a missing column differs from a blank one. `path` has no ending.
 */
export async function createOpenEndedFile(path: string, columns: readonly string[]): Promise<WrittenFile> {
  const part = await createPart(path)
  const headers = new Set<string>()
  return {
    add: ({ cells, further }) => {
      const pairs = [...columns.map((name, index) => [name, cells[index]]), ...further]
      headers.add(JSON.stringify(pairs.map(([name]) => name)))
      return part.write(ndjsonLine(Object.fromEntries(pairs)))
    },
    keep: async () => {
      const kept = await part.keep(`${path}.ndjson`)
      const [header] = headers
      return headers.size === 1 && header ? asCsv(kept, path, JSON.parse(header)) : kept
    },
    discard: part.discard,
  }
}

/** Escapes two Unicode characters that some readers take for the end of a line. */
const ndjsonLine = (cells: object): string =>
  `${JSON.stringify(cells).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`

async function asCsv(ndjson: string, path: string, columns: readonly string[]): Promise<string> {
  const part = await createPart(path)
  await part.write(csvLine(columns))
  const file = await open(ndjson)
  for await (const line of createInterface({ input: file.createReadStream() })) {
    const cells: Record<string, string> = JSON.parse(line)
    await part.write(csvLine(columns.map((name) => cells[name] ?? '')))
  }
  await rm(ndjson)
  return part.keep(`${path}.csv`)
}

/** Throws if the file already exists. */
async function createPart(path: string) {
  const name = `${path}.part`
  const file = await open(name, 'wx', OWNER_ONLY_MODE)
  let buffer = ''
  const flush = async () => {
    const text = buffer
    buffer = ''
    await file.appendFile(text)
  }
  return {
    write: async (line: string) => {
      buffer += line
      if (buffer.length >= BUFFER_CHARACTERS) await flush()
    },
    keep: async (as: string) => {
      await flush()
      // A reported file must survive a power failure, so it is on the disk first.
      await file.sync()
      await file.close()
      await rename(name, as)
      return as
    },
    discard: async () => {
      await file.close()
      await rm(name, { force: true })
    },
  }
}
