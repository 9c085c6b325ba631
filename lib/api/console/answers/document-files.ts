import * as v from 'valibot'
import { DOCUMENT_FORMATS } from '#lib/settings/document-formats.ts'
import { countValue, textValue } from './shapes.ts'

export const DOCUMENT_KIND_NAMES = ['invoices', 'credit-notes'] as const

export const FILE_FORMATS = [...DOCUMENT_FORMATS, 'calls'] as const

export const documentFileAnswer = v.object({
  name: textValue,
  type: textValue,
  /** In base64. */
  content: textValue,
})

/** A page without scripts. */
export const sampleAnswer = v.object({ page: textValue })

export type SampleAnswer = v.InferOutput<typeof sampleAnswer>

/** A file of a document, and whether the list of its calls belongs to it. */
export const givenFileAnswer = v.object({ ...documentFileAnswer.entries, calls: v.boolean() })

export type GivenFileAnswer = v.InferOutput<typeof givenFileAnswer>

export type DocumentFileAnswer = v.InferOutput<typeof documentFileAnswer>

/** The documents of a month, whose files make a zip. */
export const documentFilesAnswer = v.object({
  documents: v.array(v.object({ kind: v.picklist(DOCUMENT_KIND_NAMES), id: countValue, number: textValue })),
})

export type DocumentFilesAnswer = v.InferOutput<typeof documentFilesAnswer>
