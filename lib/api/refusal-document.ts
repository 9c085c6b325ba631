import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import { httpRefusal } from './errors.ts'

type Kind = Parameters<typeof httpRefusal>[0]

/** What is answered where no method is reached: by a path that names none, or by the server in front of them. */
export const refusalDocument = (kind: Kind): string =>
  wholeDocument(refusalBelowMethods(httpRefusal(kind).message))
