import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { csvLine } from '#lib/csv/writer.ts'

/** The cells of a row, in the order of the columns, and those beyond the known columns. */
export interface WrittenRow {
  readonly cells: readonly string[]
  readonly further: readonly (readonly [name: string, value: string])[]
}

/** A file of a dataset while it is written; nobody takes it for a whole one before it is `kept`. */
export interface WrittenFile {
  add(row: WrittenRow): Promise<void>
  /** Gives the file its name; answers it. */
  keep(): Promise<string>
  drop(): Promise<void>
}

const ONLY_FOR_ITS_OWNER = 0o600
const WRITTEN_AT_ONCE = 65_536

/** A file of columns that are all known. `path` is without an ending. */
export async function writtenCsv(path: string, columns: readonly string[]): Promise<WrittenFile> {
  const part = await partOf(path)
  await part.write(csvLine(columns))
  return {
    add: ({ cells }) => part.write(csvLine(cells)),
    keep: () => part.keep(`${path}.csv`),
    drop: part.drop,
  }
}

/**
 * A file whose rows may have further columns, each others: it is CSV when all have the same, else NDJSON, in which a column
 * that a row does not have is not a blank one.
 */
export async function writtenOpenEnded(path: string, columns: readonly string[]): Promise<WrittenFile> {
  const part = await partOf(path)
  const headers = new Set<string>()
  return {
    add: ({ cells, further }) => {
      const pairs = [...columns.map((name, place) => [name, cells[place]]), ...further]
      headers.add(JSON.stringify(pairs.map(([name]) => name)))
      return part.write(ndjsonLine(Object.fromEntries(pairs)))
    },
    keep: async () => {
      const kept = await part.keep(`${path}.ndjson`)
      const [header] = headers
      return headers.size === 1 && header ? asCsv(kept, path, JSON.parse(header)) : kept
    },
    drop: part.drop,
  }
}

/** Readers of lines may take these two of Unicode for the end of one. */
const ndjsonLine = (cells: object): string =>
  `${JSON.stringify(cells).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`

async function asCsv(ndjson: string, path: string, columns: readonly string[]): Promise<string> {
  const part = await partOf(path)
  await part.write(csvLine(columns))
  const file = await open(ndjson)
  for await (const line of createInterface({ input: file.createReadStream() })) {
    const cells: Record<string, string> = JSON.parse(line)
    await part.write(csvLine(columns.map((name) => cells[name] ?? '')))
  }
  await rm(ndjson)
  return part.keep(`${path}.csv`)
}

/** Refuses to write over a file that is there. */
async function partOf(path: string) {
  const name = `${path}.part`
  const file = await open(name, 'wx', ONLY_FOR_ITS_OWNER)
  let waiting = ''
  const flush = async () => {
    const text = waiting
    waiting = ''
    await file.appendFile(text)
  }
  return {
    write: async (line: string) => {
      waiting += line
      if (waiting.length >= WRITTEN_AT_ONCE) await flush()
    },
    keep: async (as: string) => {
      await flush()
      await closed(file)
      await rename(name, as)
      return as
    },
    drop: async () => {
      await file.close()
      await rm(name, { force: true })
    },
  }
}

/** What is said to be written has reached the disk. */
async function closed(file: FileHandle): Promise<void> {
  await file.sync()
  await file.close()
}
