import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { shareOf } from '#test/sweep.ts'
import type { CdrDocument, FormatName } from './formats.ts'
import { cutDocument, parse } from './parse.ts'

/** The largest body that the intake accepts. */
const MAX_BYTES = 4_000_000

/**
 * The budget of any body is two seconds of processor time on an idle machine. The limit is three times as
 * much: a busy machine stays below it, and a parser whose work grows faster than its body exceeds it.
 */
const MAX_SECONDS = 6
/** In addition to the memory that was used before. */
const MAX_MEMORY_BYTES = 200_000_000

const CUT_BYTES = 256_000

/** Its own test makes each body: all of them in memory would leave garbage that counts as used. */
type Body = () => string

/** Repeats a unit between `before` and `after`, up to MAX_BYTES. */
const filled =
  (unit: string, before = '', after = ''): Body =>
  () => {
    const room = MAX_BYTES - Buffer.byteLength(before) - Buffer.byteLength(after)
    return before + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + after
  }

/** Different lines between `before` and `after`, up to MAX_BYTES. */
const counted =
  (line: (n: number) => string, before = '', after = ''): Body =>
  () => {
    const lines = [before]
    let room = MAX_BYTES - before.length - after.length
    for (let n = 0; room > 0; n += 1) {
      const text = line(n)
      room -= text.length
      if (room >= 0) lines.push(text)
    }
    return [...lines, after].join('')
  }

const OBJECT =
  '{"start":1773119520,"disposition":"ANSWERED","variables":{"start_epoch":"1773119520"},"callflow":[{}],"method":"BYE","sip_code":"200","callid":"x","time":1773119520,"Event":"Hangup","Uniqueid":"1","Linkedid":"1"}\n'
const IDS =
  '"start":999999999,"disposition":"","uniqueid":1.5,"callid":1.5,"method":"BYE","sip_code":200,"time":1'
const HEADER = 'start,disposition,callid,start_epoch'
const ROW = '1773119520,ANSWERED,x,1773119520\n'
const BELOW = `${HEADER}\n${ROW}`
const WIDE = `${HEADER},${Array.from({ length: 46 }, (_, n) => `c${n}`)}\n`

const leg = (name: string, unit: string, before = '', after = ''): Body =>
  filled(
    unit,
    `{"variables":{"start_epoch":"1773119520","${name}":"${before}`,
    `${after}"},"callflow":[{}],"start":1773119520,"disposition":"A"}`,
  )
const xmlLeg = (unit: string): Body =>
  filled(unit, '<cdr><variables><last_arg>', '</last_arg></variables><callflow/></cdr>')

const MINUTES_PER_DAY = 1440

const clockText = (minutes: number): string =>
  new Date(minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')

const ANY = {
  letters: filled('x'),
  'one-byte lines': filled('x\n'),
  'carriage returns': filled('x\r'),
  'blank lines': filled('\r\n'),
  spaces: filled(' \n'),
  zeros: filled('\0'),
  marks: filled('\ufeff'),
  'halves of pairs': filled('\ud800'),
  'characters of four bytes': filled('😀\n'),
  backslashes: filled('\\'),
  percents: filled('%'),
}

const JSON_BODIES = {
  lists: filled('['),
  'closed lists': filled('[]'),
  'lists on lines': filled('[\n'),
  objects: filled('{'),
  'objects on lines': filled('{\n', OBJECT),
  nested: filled('{"a":', OBJECT),
  'nested on lines': filled('{"a":\n', OBJECT),
  'nested 64 times, then flat': filled('x\n', '{\n'.repeat(64)),
  'unclosed strings': filled('{"\n', OBJECT),
  'empty objects': filled('{}\n', OBJECT),
  'broken objects': filled('{x}\n', OBJECT),
  'long broken objects': filled('{"aaaaaaaaaaaaaaaaaaaaaaaaaaa"}\n', OBJECT),
  'broken ones between': filled(`${OBJECT}{x}\n`),
  'a good line, then bad ones': filled('x\n', OBJECT),
  'a list of numbers': filled('1,', '['),
  'a list of nothing': filled(',', '['),
  'a list of objects': filled(`${OBJECT},`, '[', `${OBJECT}]`),
  'times that are none': filled('{"disposition":1,"start":"yesterday"}\n'),
  'the shortest CDRs': filled('{"start":999999999,"disposition":""}\n'),
  'the shortest dialog events': filled('{"method":"BYE","sip_code":200,"callid":1,"time":999999999}\n'),
  'the shortest live events': filled('{"Event":"Hangup","Uniqueid":1,"Linkedid":1}\n'),
  'ids with fractions': filled('{"start":999999999,"disposition":"","uniqueid":1.5}\n'),
  'an id and a million numbers': filled('1.1,', `{${IDS},"a":[`, '1]}'),
  'an id and many members': counted((n) => `"k${n}":${n},`, `{${IDS},`, '"z":1}'),
  'members named by numbers': counted((n) => `"${n}":1,`, '{', '"z":1}'),
  'one member many times': filled('"__proto__":{},', '{', '"a":1}'),
  'a number': filled('9', '{"disposition":"","start":', '}'),
  'an id': filled('9', '{"disposition":"","start":999999999,"uniqueid":', '}'),
  escapes: filled('\\u0041', '{"disposition":"","start":"', '"}'),
  callflows: filled('{},', '{"variables":{"start_epoch":"1773119520"},"callflow":[', '{}]}'),
  'a gateway of colons': leg('last_arg', ':', 'sofia/gateway/'),
  gateways: leg('last_arg', 'sofia/gateway/'),
  'a gateway with a long name': leg('last_arg', 'a', 'sofia/gateway/', '/1'),
  addresses: leg('bridge_channel', '@['),
  ports: leg('bridge_channel', ':1', '@x'),
  encoded: leg('start_stamp', '%20'),
}

const XML_BODIES = {
  elements: filled('<a>'),
  'empty elements': filled('<a/>', '<cdr><variables>', '</variables></cdr>'),
  'many names': counted((n) => `<v${n}/>`, '<cdr><variables>', '</variables></cdr>'),
  'less-thans': filled('<'),
  ampersands: filled('&', '<cdr>'),
  entities: xmlLeg('&amp;'),
  references: xmlLeg('&#65;'),
  'sections of text': xmlLeg('<![CDATA[x]]>'),
  comments: xmlLeg('<!---->'),
  instructions: filled('<?x ?>', '<cdr>', '</cdr>'),
  brackets: filled(']', '<cdr><![CDATA['),
  attributes: counted((n) => `a${n}='' `, '<cdr ', '/>'),
  'a long attribute': filled('&lt;', '<cdr a="', '"/>'),
  'a long name': filled('x', '<'),
  'a document type': filled('<!ENTITY a "b">', '<!DOCTYPE a [', ']><cdr/>'),
  callflows: filled(
    '<callflow><caller_profile><a/></caller_profile></callflow>',
    '<cdr><variables/>',
    '</cdr>',
  ),
  colons: filled(':', '<cdr><variables><last_arg>sofia/gateway/', '</last_arg></variables></cdr>'),
  encoded: xmlLeg('%41'),
  returns: xmlLeg('\r'),
}

const CSV_BODIES = {
  quotes: filled('"'),
  'quotes on lines': filled('"\n'),
  'unclosed quotes': filled('"x,\n', BELOW),
  'closed and unclosed quotes': filled('"x,\n', '"'.repeat(1_800_000)),
  'quotes across lines': filled('","\n', '"\n'),
  'odd quotes': filled('"a""\n', BELOW),
  'quotes in cells': filled('aaaaaaaaa"\n', BELOW),
  'one row': filled(','),
  'one row of quotes': filled('"",'),
  'one row below a header': filled(',', `${HEADER}\n`),
  'bad rows': filled('x\n', BELOW),
  'longer bad rows': filled('xxxxxxxxx\n', BELOW),
  'rows of times that are none': filled('1,2,3,xxx\n', BELOW),
  'good rows': filled(ROW, `${HEADER}\n`),
  'good rows in quotes': filled('"1773119520","ANSWERED","x","1773119520"\n', `${HEADER}\n`),
  'a column of times': filled('999999999\n', 'start\n'),
  'a column of times in quotes': filled('"999999999"\n', 'start\n'),
  'a column of what is none': filled('yesterday\n', 'start\n'),
  'a column of quotes': filled('""""""""""\n', 'start\n'),
  'wide rows': filled(`999999999,${','.repeat(48)}""\n`, WIDE),
  'wide rows of quotes': filled(`999999999${',""'.repeat(49)}\n`, WIDE),
  'a header of brackets': filled('(', `${HEADER},`),
  'a header of functions': filled('CDR(', `${HEADER},`),
  'a long header': filled(`${ROW.trim()},1\n`, `${HEADER},${'y'.repeat(3900)}\n`),
  hours: counted((n) => `${clockText(n * 60)}\n`, 'start\n'),
  days: counted((n) => `${clockText(n * 3 * MINUTES_PER_DAY)}\n`, 'start\n'),
  'hours of change': counted(
    (n) => `20${10 + (n % 90)}-03-${25 + (n % 7)} 03:${10 + (n % 50)}:00\n`,
    'start\n',
  ),
}

/** Formats with the same parser need these bodies only once. */
const CASES = Object.entries({
  'asterisk-json': { ...ANY, ...JSON_BODIES },
  live: JSON_BODIES,
  'freeswitch-xml': { ...ANY, ...XML_BODIES },
  csv: { ...ANY, ...CSV_BODIES },
  'asterisk-csv': ANY,
} satisfies Partial<Record<FormatName, Readonly<Record<string, Body>>>>).flatMap(([format, bodies]) =>
  Object.entries(bodies).map(([name, body]) => [format as FormatName, name, body] as const),
)

/** Uncollected garbage counts as used, sometimes much: a parser that keeps too much fails each time. */
const ATTEMPTS = { retry: 2 }

test.each(shareOf(CASES, 0))(
  '%s reads 4 MB of %s in bounded time and memory',
  ATTEMPTS,
  (format, _name, body) => {
    const document = { format, source: 'switch', zone: 'Europe/Vilnius', text: body() }
    expect(Buffer.byteLength(document.text)).toBeLessThanOrEqual(MAX_BYTES)

    const parsed = cost(() => readAll(document))
    const cut = cost(() => cutDocument(document, CUT_BYTES))

    expect([parsed.seconds, cut.seconds].filter((seconds) => seconds > MAX_SECONDS)).toEqual([])
    expect([parsed.bytes, cut.bytes].filter((bytes) => bytes > MAX_MEMORY_BYTES)).toEqual([])
  },
)

function readAll(document: CdrDocument): number {
  let parts = 0
  for (const { found } of parse(document)) parts += Number(found.kind !== 'skipped')
  return parts
}

function cost(work: () => unknown): { readonly seconds: number; readonly bytes: number } {
  const [before, memory] = [process.cpuUsage(), memoryUsed()]
  work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (user + system) / 1_000_000, bytes: memoryUsed() - memory }
}

function memoryUsed(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
