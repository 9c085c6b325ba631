import { type DescribedMethod, findMethod } from './catalogue.ts'
import { remedyOf } from './refusals.ts'
import { call, type Signer } from './request.ts'
import { errorIn, readXml } from './xml.ts'

/** Refusals after signature and name were accepted: without a customer, and to a plain user. */
const ACCEPTED = ['user_id is empty', 'Dont_be_so_smart']

const SENTENCES: Readonly<Record<string, string>> = {
  'Incorrect hash': 'Incorrect hash: this is not the secret key of this installation.',
  'Bad login': 'Bad login: the key is right, but no active account has this username.',
}

/**
 * Asks for the devices of nobody, which changes nothing and tells whether name and key are right. Returns a
 * sentence about what is wrong.
 */
export async function checkSigner(
  catalogue: readonly DescribedMethod[],
  { username, key }: Signer,
): Promise<string | undefined> {
  const method = findMethod(catalogue, 'devices_get')
  if (!method) return 'The description of the API has no devices_get.'
  try {
    const { text, status } = await call(method, { u: username }, key)
    const root = readXml(text)
    const refusal = (root && errorIn(root)) ?? `The API answered with HTTP ${status} and no words.`
    if (ACCEPTED.includes(refusal)) return undefined
    return SENTENCES[refusal] ?? [refusal, remedyOf(refusal)].filter(Boolean).join('. ')
  } catch (error) {
    return (error as Error).message
  }
}
