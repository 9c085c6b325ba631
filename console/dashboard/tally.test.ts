import { expect, test } from 'vitest'
import { type ReadCall, readCalls } from './call-reader.ts'
import { answerSeizureRatio, averageLength, count, emptyTally, regrouped } from './tally.ts'

const row = (start: string, dst: string, [disposition, billsec]: readonly [string, number]): string =>
  `<call><calldate2>${start}</calldate2><dst>${dst}</dst><disposition>${disposition}</disposition><billsec>${billsec}</billsec></call>`

const ANSWER = `<page><total_calls>3</total_calls><calls>${[
  row('2026-11-18 09:10:00', '+370 612 34567', ['ANSWERED', 61]),
  row('2026-11-18 09:50:00', '442079460210', ['BUSY', 0]),
  row('2026-11-19 23:59:59', '37061234500', ['ANSWERED', 119]),
].join('')}</calls></page>`

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

async function read(text: string, length: number): Promise<ReadCall[]> {
  const calls: ReadCall[] = []
  for await (const some of readCalls(inPieces(text, length))) calls.push(...some)
  return calls
}

test.each([1, 7, 50, 10_000])('calls are read from pieces of %i characters', async (length) => {
  expect(await read(ANSWER, length)).toEqual([
    { start: '2026-11-18 09:10:00', dst: '+370 612 34567', isAnswered: true, seconds: 61 },
    { start: '2026-11-18 09:50:00', dst: '442079460210', isAnswered: false, seconds: 0 },
    { start: '2026-11-19 23:59:59', dst: '37061234500', isAnswered: true, seconds: 119 },
  ])
})

test.each([1, 1000])('a refusal in pieces of %i characters is thrown', async (length) => {
  await expect(read('<page><error>User was not found</error></page>', length)).rejects.toThrow(
    'User was not found',
  )
})

test('they are counted in all, by hour and by prefix', async () => {
  const tally = emptyTally()
  count(tally, await read(ANSWER, 100))

  expect(tally.all).toEqual({ calls: 3, answered: 2, seconds: 180 })
  expect([...regrouped(tally.hours, (hour) => hour.slice(0, 10))]).toEqual([
    ['2026-11-18', { calls: 2, answered: 1, seconds: 61 }],
    ['2026-11-19', { calls: 1, answered: 1, seconds: 119 }],
  ])
  expect(tally.prefixes.get('3706123')).toEqual({ calls: 2, answered: 2, seconds: 180 })
  expect([answerSeizureRatio(tally.all), averageLength(tally.all)]).toEqual(['66.7 %', '1:30'])
})

test('without calls there is no ratio', () => {
  const { all } = emptyTally()

  expect([answerSeizureRatio(all), averageLength(all)]).toEqual(['–', '–'])
})
