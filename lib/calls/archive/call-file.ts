import { type FileMetaData, parquetMetadataAsync, parquetReadObjects, type SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Day } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import type { Money } from '#lib/base/money.ts'
import { type Call, identityName } from '../call.ts'
import type { ArchivedObject } from './bucket.ts'
import type { LeavingCall } from './progress.ts'

/** A price has at most 15 digits before and 15 after the point (call.ts): 30 digits need 13 bytes. */
export const PRICE_TYPE = { precision: 30, scale: 15, bytes: 13 } as const

/** How the values of a column are stored in Parquet: as a call has them, and as a file has them. */
interface ColumnKind {
  readonly element: Omit<SchemaElement, 'name'>
  readonly toFile: (value: unknown) => unknown
  readonly fromFile: (value: unknown) => unknown
}

const same = (value: unknown): unknown => value

const KINDS = {
  text: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, toFile: same, fromFile: same },
  number: {
    element: { type: 'INT64' },
    toFile: (value) => BigInt(Number(value)),
    fromFile: (value) => Number(value),
  },
  flag: { element: { type: 'BOOLEAN' }, toFile: same, fromFile: same },
  moment: {
    element: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
    toFile: (value) => new Date(Number(value) * 1000),
    fromFile: (value) => Number(value) / 1000,
  },
  price: {
    element: {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: PRICE_TYPE.bytes,
      converted_type: 'DECIMAL',
      precision: PRICE_TYPE.precision,
      scale: PRICE_TYPE.scale,
    },
    toFile: (value) => toUnits(String(value)),
    fromFile: (value) => fromUnits(value as Uint8Array),
  },
} as const satisfies Record<string, ColumnKind>

/** The columns of a file, in their order. The day is in its key. No hold is as old as an archived call. */
export const ARCHIVED_COLUMNS = {
  uniqueid: 'text',
  calldate: 'moment',
  src: 'text',
  dst: 'text',
  disposition: 'text',
  duration: 'number',
  billsec: 'number',
  hangupcause: 'number',
  user_id: 'number',
  device_id: 'number',
  dst_user_id: 'number',
  dst_device_id: 'number',
  provider_id: 'number',
  user_rate: 'price',
  user_price: 'price',
  provider_rate: 'price',
  provider_price: 'price',
  reseller_price: 'price',
  source: 'text',
  source_part: 'text',
  cdr_digests: 'text',
  owner_id: 'number',
  direct: 'flag',
  digest: 'text',
  rated: 'text',
  version: 'number',
  incoming: 'flag',
  charged: 'flag',
  dialled_dst: 'text',
  carrier_dst: 'text',
  rated_dst: 'text',
  carrier_src: 'text',
  origin: 'text',
  provider_origin: 'text',
} as const satisfies Readonly<Record<Exclude<keyof Call, 'day' | 'held_at'>, keyof typeof KINDS>>

type ColumnName = keyof typeof ARCHIVED_COLUMNS

const columns = Object.entries(ARCHIVED_COLUMNS).map(([name, kind]) => ({
  name: name as ColumnName,
  kind: KINDS[kind] as ColumnKind,
}))

const schema: SchemaElement[] = [
  { name: 'call', num_children: columns.length },
  ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...kind.element })),
]

/** Parquet has prices as whole numbers of the last decimal: a JavaScript number would be inexact. */
function toUnits(price: Money): bigint {
  const [whole = '', part = ''] = price.split('.')
  return BigInt(whole + part.padEnd(PRICE_TYPE.scale, '0'))
}

function fromUnits(bytes: Uint8Array): Money {
  const units = BigInt.asIntN(8 * PRICE_TYPE.bytes, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
  const digits = String(units < 0n ? -units : units).padStart(PRICE_TYPE.scale + 1, '0')
  const decimal = `${digits.slice(0, -PRICE_TYPE.scale)}.${digits.slice(-PRICE_TYPE.scale)}`
  return `${units < 0n ? '-' : ''}${decimal.replace(/(?<!0)0+$/, '').replace(/\.$/, '')}`
}

/** Calls in memory before they are written together: a row group. */
export const CALLS_IN_ONE_GROUP = 20_000

export type CallFileWriter = ReturnType<typeof createCallFile>

/** A local Parquet file of calls. Its writer is synchronous, and so returns no promises. */
export function createCallFile(path: string) {
  const file = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'tollgate' })
  let calls: Call[] = []
  let count = 0
  const writeGroup = () => {
    if (calls.length === 0) return
    const columnData = columns.map(({ name, kind }) => ({
      name,
      data: calls.map((call) => (call[name] === undefined ? undefined : kind.toFile(call[name]))),
    }))
    void file.write({ columnData, rowGroupSize: CALLS_IN_ONE_GROUP })
    calls = []
  }
  return {
    add: (call: Call): void => {
      calls.push(call)
      count += 1
    },
    waiting: (): number => calls.length,
    writeGroup,
    /** Writes the calls that are in memory, and the end of the file. Returns the number of its calls. */
    finish: (): number => {
      writeGroup()
      void file.finish()
      return count
    },
  }
}

/** The calls of a file, a row group at a time. They ascend by time, then unique id. */
export async function* callsInFile(object: ArchivedObject, day: Day): AsyncGenerator<Call[]> {
  const file = await openFile(object)
  for (const group of file.groups) yield (await file.rows(group)).map((row) => toCall(row, day))
}

/** The identities of the calls of a file, after the first `passed` ones. */
export async function* leavingInFile(object: ArchivedObject, passed: number): AsyncGenerator<LeavingCall> {
  const file = await openFile(object)
  for (const group of file.groups) {
    if (group.rowEnd <= passed) continue
    const rows = await file.rows(group, ['uniqueid', 'source', 'source_part', 'version'])
    yield* rows.slice(Math.max(0, passed - group.rowStart)).map((row) => leavingOf(toCall(row, '')))
  }
}

export const leavingOf = ({ uniqueid, source, source_part, version }: Call): LeavingCall => ({
  uniqueid,
  source,
  source_part,
  version,
})

/** Finds these calls in a file: reads the unique ids, and other columns only of groups with a hit. */
export async function findInFile(
  object: ArchivedObject,
  day: Day,
  wanted: readonly CallIdentity[],
): Promise<Call[]> {
  const [names, ids] = [new Set(wanted.map(identityName)), new Set(wanted.map(({ uniqueid }) => uniqueid))]
  const file = await openFile(object)
  const found: Call[] = []
  for (const group of file.groups) {
    const rows = await file.rows(group, ['uniqueid'])
    if (!rows.some(({ uniqueid }) => ids.has(String(uniqueid)))) continue
    const calls = (await file.rows(group)).map((row) => toCall(row, day))
    found.push(...calls.filter((call) => names.has(identityName(call))))
  }
  return found
}

interface RowGroupRange {
  readonly rowStart: number
  readonly rowEnd: number
}

async function openFile({ bytes, read }: ArchivedObject) {
  const slice = async (from: number, to = bytes) => {
    const { buffer, byteOffset, byteLength } = await read(from, to)
    return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
  }
  const file = {
    byteLength: bytes,
    slice: (from: number, to?: number) => slice(from < 0 ? bytes + from : from, to),
  }
  const metadata = withPlainPrices(await parquetMetadataAsync(file))
  const parsers = { timestampFromMilliseconds: Number }
  return {
    groups: groupsIn(metadata),
    rows: (group: RowGroupRange, names?: ColumnName[]): Promise<Readonly<Record<string, unknown>>[]> =>
      parquetReadObjects({ file, metadata, parsers, ...group, ...(names && { columns: names }) }),
  }
}

/** The reader would turn decimals into JavaScript numbers. */
const withPlainPrices = ({ schema: elements, ...metadata }: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: elements.map(({ converted_type: type, logical_type: logical, ...element }) =>
    type === 'DECIMAL'
      ? element
      : { ...element, ...(type && { converted_type: type }), ...(logical && { logical_type: logical }) },
  ),
})

function groupsIn({ row_groups }: FileMetaData): RowGroupRange[] {
  let rowEnd = 0
  return row_groups.map(({ num_rows }) => {
    const rowStart = rowEnd
    rowEnd += Number(num_rows)
    return { rowStart, rowEnd }
  })
}

const toCall = (row: Readonly<Record<string, unknown>>, day: Day): Call =>
  Object.fromEntries([
    ...columns.map(({ name, kind }) => [name, isBlank(row[name]) ? undefined : kind.fromFile(row[name])]),
    ['day', day],
  ]) as Call

const isBlank = (value: unknown): boolean => value === undefined || value === null
