import { findMethod, type Method, type Values } from '../api/catalogue.ts'
import { type Signer, urlOf } from '../api/request.ts'
import { signed } from '../api/signing.ts'
import type { MoneyOf } from './call-reader.ts'
import type { Tally } from './tally.ts'
import type { Question, Told } from './worker.ts'

/** The accounts whose calls are counted. */
export interface Counter {
  readonly catalogue: readonly Method[]
  readonly signer: Signer
  readonly moneyOf: MoneyOf
}

/** Counts the calls of user_calls_get in a worker, so that the page stays usable however many there are. */
export async function tallyCalls(
  { catalogue, signer, moneyOf }: Counter,
  wanted: Values,
  onProgress: (calls: number) => void = () => {},
): Promise<Tally> {
  const method = findMethod(catalogue, 'user_calls_get')
  if (!method) throw new Error('The description of the API has no user_calls_get.')
  const sent = await signed(method, { u: signer.username, ...wanted }, signer.key)
  const worker = new Worker(new URL('console/worker.js', document.baseURI), { type: 'module' })
  try {
    return await new Promise((resolve, reject) => {
      worker.onerror = () => reject(new Error('The calls could not be counted.'))
      worker.onmessage = ({ data }: MessageEvent<Told>) => {
        if (data.kind === 'progress') onProgress(data.calls)
        else if (data.kind === 'done') resolve(data.tally)
        else reject(new Error(data.problem))
      }
      const question: Question = {
        url: urlOf(method.name),
        body: new URLSearchParams(sent).toString(),
        moneyOf,
      }
      worker.postMessage(question)
    })
  } finally {
    worker.terminate()
  }
}
