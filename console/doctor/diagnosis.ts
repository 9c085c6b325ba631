import { explainHash } from '#lib/api/doctor/explain-hash.ts'
import { hashExplanation, stringToSign } from '#lib/api/doctor/in-words.ts'
import { findMethod, type Method } from '../api/catalogue.ts'
import { urlOf } from '../api/request.ts'
import { signed } from '../api/signing.ts'
import { curlLine } from '../api/snippets.ts'
import type { SentCall } from './call-line.ts'

export interface Diagnosis {
  readonly isAccepted: boolean
  /** The string that the hash was made of. */
  readonly says: string
  /** The sentences of the remedy; the last one is the whole of it. */
  readonly advice: readonly string[]
  /** The string to hash, with a placeholder for the key. */
  readonly string: string
  readonly correctHash: string
  /** The same call with the correct hash, as a curl command. */
  readonly correctedCall: string
}

export interface Keys {
  readonly key: string
  readonly oldKey: string
}

/** Explains the hash of a call, and signs the call correctly. Throws a sentence if it names no method. */
export async function diagnose(
  catalogue: readonly Method[],
  { called, sent }: SentCall,
  { key, oldKey }: Keys,
): Promise<Diagnosis> {
  const method = findMethod(catalogue, called)
  if (!method) throw new Error(`No API call recognised: there is no method ${called}.`)
  const params = Object.fromEntries(method.parameters.map(({ name }) => [name, UNREAD]))
  const call = { contract: { ...method, params }, sent, key, ...(oldKey && { oldKey }) }
  const finding = explainHash(call)
  const { hash: _sentHash, ...values } = sent
  const correct = await signed(method, values, key)
  return {
    isAccepted: finding.accepted,
    ...hashExplanation(finding, call),
    string: stringToSign(call),
    correctHash: correct['hash'] ?? '',
    correctedCall: curlLine(urlOf(method.name), Object.entries(correct)),
  }
}

/** The doctor asks for the names of a method's parameters only. */
const UNREAD = { describes: '', read: () => undefined }
