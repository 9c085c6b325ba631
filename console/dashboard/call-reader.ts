/** What the dashboard wants to know of a call. */
export interface ReadCall {
  /** `YYYY-MM-DD HH:MM:SS`, in the installation's time zone. */
  readonly start: string
  readonly dst: string
  readonly isAnswered: boolean
  readonly seconds: number
}

const END = '</call>'

const textOf = (row: string, name: string): string =>
  row.match(new RegExp(`<${name}>([^<]*)</${name}>`))?.[1] ?? ''

const readRow = (row: string): ReadCall => ({
  start: textOf(row, 'calldate2'),
  dst: textOf(row, 'dst'),
  isAnswered: textOf(row, 'disposition') === 'ANSWERED',
  seconds: Number(textOf(row, 'billsec')),
})

/**
 * The calls in an answer of user_calls_get that comes in pieces, however it is cut: what is not a whole call yet waits
 * for the next piece. Never holds more than a piece and a call. Throws what the answer refuses with.
 */
export async function* readCalls(pieces: AsyncIterable<string>): AsyncGenerator<readonly ReadCall[]> {
  let waiting = ''
  for await (const piece of pieces) {
    waiting += piece
    const end = waiting.lastIndexOf(END)
    if (end < 0) refuseIfRefused(waiting)
    else {
      yield waiting.slice(0, end).split(END).map(readRow)
      waiting = waiting.slice(end + END.length)
    }
  }
  refuseIfRefused(waiting)
}

function refuseIfRefused(text: string): void {
  const refusal = textOf(text, 'error')
  if (refusal) throw new Error(refusal)
}
