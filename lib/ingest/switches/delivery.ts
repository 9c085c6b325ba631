import { type FormatName, isFormat } from '#lib/intake/formats.ts'
import type { Origin } from '#lib/intake/record.ts'

/** From where documents come, and in which format. */
export interface Delivery {
  readonly format: FormatName
  readonly origin: Origin
}

/** How a document was delivered, as it is kept with the document. */
export interface CameAs {
  readonly format: string
  readonly source: string
  readonly zone: string
  readonly columns?: readonly string[] | undefined
  readonly mapping?: Readonly<Record<string, string>> | undefined
}

/** The name of a switch, which is a part of what tells its calls from those of another one. */
export const isSourceName = (text: string): boolean => /^[\w-]{1,40}$/.test(text)

/** `undefined` for a format that there is not. */
export function deliveryOf({ format, source, zone, columns, mapping }: CameAs): Delivery | undefined {
  if (!isFormat(format)) return undefined
  return { format, origin: { source, zone, ...(columns && { columns }), ...(mapping && { mapping }) } }
}

/** The same for documents that can be taken in together. */
export const deliveryName = ({ format, source, zone, columns, mapping }: CameAs): string =>
  JSON.stringify([format, source, zone, columns, mapping])
