import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { renderDocument } from '#lib/xml/render.ts'
import { httpRefusal } from './errors.ts'

type Kind = Parameters<typeof httpRefusal>[0]

/** What is answered where no method is reached: by a path that names none, or by the server in front of them. */
export const refusalDocument = (kind: Kind): Promise<string> =>
  text(Readable.from(renderDocument(refusalBelowMethods(httpRefusal(kind).message))))
