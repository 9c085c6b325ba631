import type { Method, Values } from '../api/catalogue.ts'
import { type Signer, urlOf } from '../api/request.ts'
import { signed } from '../api/signing.ts'
import type { Tally } from './tally.ts'
import type { Told } from './worker.ts'

/** Counts the calls of user_calls_get in a worker, so that the page stays usable however many there are. */
export async function tallyCalls(
  { method, signer }: { readonly method: Method; readonly signer: Signer },
  wanted: Values,
  onProgress: (calls: number) => void,
): Promise<Tally> {
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
      worker.postMessage({ url: urlOf(method.name), body: new URLSearchParams(sent).toString() })
    })
  } finally {
    worker.terminate()
  }
}
