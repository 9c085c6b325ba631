import { parse } from 'lossless-json'
import { type Cells, cellsOfJson } from '#lib/dataset/format/row-source.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'

/** A message of the queue: its type, and the rest of its JSON object. Numbers are lossless. */
export interface Message {
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Throws RowRefused with the reason when the text is not a message. */
export function readMessage(text: string): Message {
  const document = parsed(text)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new RowRefused('is not a JSON object')
  }
  const { type, ...fields } = document as Readonly<Record<string, unknown>>
  if (typeof type !== 'string') throw new RowRefused('has no type')
  return { type, fields }
}

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch {
    throw new RowRefused('is not JSON')
  }
}

/** `{"type": ..., ...columns}`: the message is the record. */
export const oneRecord = ({ fields }: Message): readonly Cells[] => [cellsIn(fields)]

/** `{"type": ..., "records": [{...columns}, ...]}`. */
export function manyRecords({ fields: { records } }: Message): readonly Cells[] {
  if (!Array.isArray(records)) throw new RowRefused('has no records')
  return records.map(cellsIn)
}

function cellsIn(document: unknown): Cells {
  try {
    return cellsOfJson(document)
  } catch {
    throw new RowRefused('holds a record that is not a flat JSON object')
  }
}
