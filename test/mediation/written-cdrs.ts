import type { FormatName } from '#lib/cdrs/formats/formats.ts'
import type { Garbage, Plain, PlainCdr } from '#test/mediation/plain-cdrs.ts'

// Imports no vitest: a process that is killed runs this, too.

/** A document of a switch, and what is in it. */
export interface Framed {
  readonly format: FormatName
  readonly source: string
  readonly text: string
  readonly plains: readonly Plain[]
}

/** The formats of CDRs. */
export const CDR_FORMATS = ['csv', 'asterisk-csv', 'asterisk-json'] as const

export const JSON_STYLES = ['alone', 'list', 'lines'] as const

/** How a document writes its CDRs. */
export interface Shape {
  readonly format: (typeof CDR_FORMATS)[number]
  readonly style: (typeof JSON_STYLES)[number]
  /** The position of the first column of CSV. */
  readonly turn: number
  /** The number of a line that is no CDR. */
  readonly garbage?: number | undefined
}

const COLUMNS = ['uniqueid', 'start', 'src', 'dst', 'duration', 'billsec', 'disposition', 'account'] as const

const fieldsOf = ({ uniqueid, start, src, dst, duration, billsec, account }: PlainCdr) => ({
  uniqueid,
  start: String(start),
  src,
  dst,
  duration: String(duration),
  billsec: String(billsec),
  disposition: billsec > 0 ? 'ANSWERED' : 'NO ANSWER',
  account,
})

const accountColumn = (format: string): string => (format === 'csv' ? 'account_code' : 'accountcode')

/** Columns in another order, times as the clock shows them. */
function csvDocument(source: string, some: readonly PlainCdr[], { format, turn, garbage }: Shape): Framed {
  const order = [...COLUMNS.slice(turn), ...COLUMNS.slice(0, turn)]
  const names = order.map((name) => (name === 'account' ? accountColumn(format) : name))
  const rows = some.map((cdr) => {
    const start = new Date(cdr.start * 1000).toISOString().slice(0, 19).replace('T', ' ')
    const fields = { ...fieldsOf(cdr), start }
    return order.map((name) => fields[name]).join(',')
  })
  const broken = garbage === undefined ? [] : [`only,three,columns ${garbage}`]
  const header = names.map((name) => `"${name}"`).join(',')
  const plains = [
    ...written(some, format),
    ...broken.map((line) => aGarbage(source, format, `${header}\n${line}`)),
  ]
  return {
    format,
    source,
    text: [names.join(','), ...rows, ...broken].join('\n'),
    plains,
  }
}

export const aGarbage = (source: string, format: string, text: string): Garbage => ({
  kind: 'garbage',
  source,
  format,
  text,
})

/** The CDRs as a format means them. None of these has a sequence. */
const written = (some: readonly PlainCdr[], format: string): PlainCdr[] =>
  some.map((cdr) => ({ ...cdr, ofChannel: format.startsWith('asterisk') }))

function jsonDocuments(source: string, some: readonly PlainCdr[], { style, garbage }: Shape): Framed[] {
  const objects = some.map((cdr) => {
    const { account, ...fields } = fieldsOf(cdr)
    return { ...fields, accountcode: account }
  })
  const cdrs = written(some, 'asterisk-json')
  const framed = (text: string, plains: readonly Plain[]): Framed => ({
    format: 'asterisk-json',
    source,
    text,
    plains,
  })
  if (style === 'list') return [framed(JSON.stringify(objects), cdrs)]
  if (style === 'alone') {
    return cdrs.map((cdr, index) => framed(JSON.stringify(objects[index], undefined, 1), [cdr]))
  }
  const lines = objects.map((one) => JSON.stringify(one))
  const broken = garbage === undefined ? [] : [`this line is no JSON at all, number ${garbage}`]
  const plains = [...cdrs, ...broken.map((line) => aGarbage(source, 'asterisk-json', line))]
  return [framed([...lines, ...broken].join('\n'), plains)]
}

export const writtenDocuments = (source: string, some: readonly PlainCdr[], shape: Shape): Framed[] =>
  shape.format === 'asterisk-json' ? jsonDocuments(source, some, shape) : [csvDocument(source, some, shape)]
