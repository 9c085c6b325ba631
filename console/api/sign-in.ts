import { type DescribedMethod, findMethod } from './catalogue.ts'
import { remedyOf } from './refusals.ts'
import { call, type Signer } from './request.ts'
import { errorIn, readXml } from './xml.ts'

/** The obstacle to signing in: the name, the key, or that no call gets through. */
export interface Doubt {
  readonly about: 'username' | 'key' | 'call'
  readonly says: string
}

/** Refusals that come after the signature and the name were accepted: without a customer, and to a plain user. */
const ACCEPTED = ['user_id is empty', 'Dont_be_so_smart']

const ABOUT: Readonly<Record<string, Doubt>> = {
  'Incorrect hash': {
    about: 'key',
    says: 'Incorrect hash: this is not the secret key of this installation.',
  },
  'Bad login': {
    about: 'username',
    says: 'Bad login: the key is right, but no active account has this username.',
  },
}

/** Asks for the devices of nobody, which changes nothing and tells whether name and key are right. */
export async function checkSigner(
  catalogue: readonly DescribedMethod[],
  { username, key }: Signer,
): Promise<Doubt | undefined> {
  const method = findMethod(catalogue, 'devices_get')
  if (!method) return { about: 'call', says: 'The description of the API has no devices_get.' }
  try {
    const { text, status } = await call(method, { u: username }, key)
    const root = readXml(text)
    const refusal = (root && errorIn(root)) ?? `The API answered with HTTP ${status} and no words.`
    return ACCEPTED.includes(refusal) ? undefined : doubtOf(refusal)
  } catch (error) {
    return { about: 'call', says: (error as Error).message }
  }
}

const doubtOf = (refusal: string): Doubt =>
  ABOUT[refusal] ?? { about: 'call', says: [refusal, remedyOf(refusal)].filter(Boolean).join('. ') }
