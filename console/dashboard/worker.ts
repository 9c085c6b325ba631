import { type MoneyOf, readCalls } from './call-reader.ts'
import { count, emptyTally, type Tally } from './tally.ts'

/** A signed call of user_calls_get. */
export interface Question {
  readonly url: string
  readonly body: string
  readonly moneyOf: MoneyOf
}

/** The number of calls counted so far, and at the end the counts or the reason why there are none. */
export type Told =
  | { readonly kind: 'progress'; readonly calls: number }
  | { readonly kind: 'done'; readonly tally: Tally }
  | { readonly kind: 'failed'; readonly problem: string }

const tell = (told: Told): void => postMessage(told)

async function* textPieces(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    yield value
  }
}

async function answer({ url, body, moneyOf }: Question): Promise<Tally> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const response = await fetch(url, { method: 'POST', body, headers })
  if (!response.body) throw new Error('The answer is empty.')
  const tally = emptyTally()
  let calls = 0
  for await (const some of readCalls(textPieces(response.body), moneyOf)) {
    count(tally, some)
    calls += some.length
    tell({ kind: 'progress', calls })
  }
  return tally
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  answer(data).then(
    (tally) => tell({ kind: 'done', tally }),
    (error: Error) => tell({ kind: 'failed', problem: error.message }),
  )
})
