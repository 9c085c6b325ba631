import type { XmlNode } from '#lib/xml/answer-rows.ts'
import { type DescribedMethod, findMethod, type SentValues } from './catalogue.ts'
import { call, type Signer } from './request.ts'
import { errorIn, readXml } from './xml.ts'

/** Asks the API in the name of one account. */
export type Ask = (method: string, sent?: SentValues) => Promise<XmlNode>

/** Signs calls of the signer and reads their answers. They throw what the API refuses with. */
export const askAs =
  (catalogue: readonly DescribedMethod[], { username, key }: Signer): Ask =>
  async (name, sent = {}) => {
    const method = findMethod(catalogue, name)
    if (!method) throw new Error(`There is no method ${name}.`)
    const { text } = await call(method, { u: username, ...sent }, key)
    const root = readXml(text)
    if (!root) throw new Error('The answer cannot be read.')
    const refusal = errorIn(root)
    if (refusal !== undefined) throw new Error(refusal)
    return root
  }
