import { expect, test } from 'vitest'
import { foundIn, parserFor, textsIn } from '#test/mediation/switch-documents.ts'
import { MAX_UNREADABLE_PARTS } from './parse.ts'

const csv = parserFor({ format: 'csv', source: 'gateway', zone: 'UTC' })
const json = parserFor({ format: 'asterisk-json', source: 'pbx', zone: 'UTC' })

const HEADER = 'start,dst,billsec,duration'
const ROW = '1773119520,4420,5,9'
const OBJECT = '{"uniqueid":"1","start":1773119520,"disposition":"ANSWERED","billsec":5,"duration":5}'

const lines = (line: string, times: number): string => `${line}\n`.repeat(times)

test('a document whose first thousand lines are unreadable is one problem with the whole text', () => {
  const text = `${HEADER}\n${lines('another file', MAX_UNREADABLE_PARTS + 1)}${ROW}\n`
  const parsed = csv(text)

  expect(foundIn(parsed)).toEqual([
    {
      kind: 'problem',
      reason: 'unreadable',
      detail: 'its first 1,000 lines cannot be read; the first one: it has 1 columns, expected 4',
    },
  ])
  expect(textsIn(parsed)).toEqual([text])
})

test('fewer unreadable lines are problems of their own', () => {
  const parsed = json(`${lines('not JSON at all', MAX_UNREADABLE_PARTS - 1)}${OBJECT}\n`)

  expect(parsed).toHaveLength(MAX_UNREADABLE_PARTS)
  expect(parsed.at(-1)?.found.kind).toBe('cdr')
})

test.each([
  ['csv', csv, HEADER, ROW, `"start","dst","billsec","duration"\n`],
  ['asterisk-json', json, '', OBJECT, ''],
])(
  '%s: further lines that cannot be read are one problem, which can be read again',
  (_name, read, header, good, before) => {
    const parsed = read(`${header}\n${lines(good, 1)}${lines('not a line of it', 1200)}${lines(good, 1)}`)

    expect(parsed).toHaveLength(MAX_UNREADABLE_PARTS + 3)
    expect(parsed.filter(({ found }) => found.kind === 'cdr')).toHaveLength(2)
    const last = parsed.at(-1)
    expect(last?.found).toMatchObject({
      kind: 'problem',
      reason: 'unreadable',
      detail: expect.stringMatching(/^200 further lines cannot be read; the first one: it /),
    })
    expect(last?.text()).toBe(before + lines('not a line of it', 200).trimEnd())
    expect(read(last?.text() ?? '')).toHaveLength(200)
  },
)

test('readable lines, and problems of other kinds, do not count as unreadable', () => {
  const without = ROW.replace('1773119520', 'yesterday1')
  const parsed = csv(
    `${HEADER}\n${lines(without, 1100)}${lines(ROW, 600)}${lines('another file', MAX_UNREADABLE_PARTS)}`,
  )

  expect(parsed).toHaveLength(1700 + MAX_UNREADABLE_PARTS)
  expect(foundIn(parsed)[0]).toMatchObject({ reason: 'impossible_time' })
})

test('half a surrogate pair is escaped, because only well-formed text can be stored', () => {
  const [parsed] = json('{"disposition":"\ud800 is the first half"}')
  expect(parsed?.text()).toBe('{"disposition":"\\ud800 is the first half"}')
})

test('the text of a part is built only on demand', () => {
  expect(csv(`${HEADER}\r\n${ROW}\r\n`).map(({ text }) => text())).toEqual([
    '"start","dst","billsec","duration"\n"1773119520","4420","5","9"',
  ])
})
