import { explainHash } from '#lib/api/signature-diagnosis/explain-hash.ts'
import { explainV2 } from '#lib/api/signature-diagnosis/explain-v2.ts'
import { hashExplanation, stringToSign } from '#lib/api/signature-diagnosis/in-words.ts'
import type { SentV2 } from '#lib/api/signature-v2.ts'
import { textToSign } from '#lib/api/v2-text.ts'
import { type DescribedMethod, findMethod } from '../api/catalogue.ts'
import { urlOf } from '../api/request.ts'
import { signed } from '../api/signing.ts'
import { curlLine } from '../api/snippets.ts'
import type { PastedCall } from './call-line.ts'

export interface Diagnosis {
  readonly isAccepted: boolean
  readonly says: string
  /** The sentences of the remedy; the last one is the whole of it. */
  readonly advice: readonly string[]
  /** Texts to sign or to copy, by their titles. */
  readonly parts: Readonly<Record<string, string>>
}

export interface HashClues {
  readonly key: string
  /** Blank if the key was not changed. */
  readonly oldKey: string
  /** The uniquehash of the account; blank if it is unknown. */
  readonly uniquehash: string
}

/** Explains the hash of a call, and signs the call correctly. Throws a sentence if it names no method. */
export async function diagnose(
  catalogue: readonly DescribedMethod[],
  { called, sent, v2 }: PastedCall,
  { key, oldKey, uniquehash }: HashClues,
): Promise<Diagnosis> {
  const method = findMethod(catalogue, called)
  if (!method) throw new Error(`No API call recognised: there is no method ${called}.`)
  if (v2) return diagnoseV2(v2, [key, oldKey])
  const params = Object.fromEntries(method.parameters.map(({ name }) => [name, UNREAD]))
  const call = {
    contract: { ...method, params },
    sent,
    key,
    ...(oldKey && { oldKey }),
    ...(uniquehash && { uniquehash }),
  }
  const finding = explainHash(call)
  const { hash: _sentHash, ...values } = sent
  const correct = await signed(method, values, key)
  return {
    isAccepted: finding.accepted,
    ...hashExplanation(finding, call),
    parts: {
      'The string to hash': stringToSign(call),
      'The correct hash': correct['hash'] ?? '',
      'The corrected request': curlLine(urlOf(method.name), Object.entries(correct)),
    },
  }
}

function diagnoseV2(v2: SentV2, secrets: readonly string[]): Diagnosis {
  const { code, says, advice } = explainV2(v2, secrets.filter(Boolean), new Date())
  return {
    isAccepted: code === 'v2 right',
    says,
    advice,
    parts: { 'The text to sign': textToSign(v2.request) },
  }
}

/** An explanation needs the names of a method's parameters only. */
const UNREAD = { kind: 'text', read: () => undefined } as const
