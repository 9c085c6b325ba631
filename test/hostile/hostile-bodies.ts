import hostile from './hostile-bodies.json' with { type: 'json' }

/** A request body that no client should send. */
export interface HostileBody {
  /** Such as `form`; several bodies have the same one. */
  readonly kind: string
  /** Names the body in a failure. */
  readonly label: string
  /** The Content-Type. */
  readonly type: string
  readonly body: Buffer
  /** The only correct answer is HTTP 400. */
  readonly refused: boolean
}

/** A text of hostile-bodies.json: itself, bytes in hex, or `repeat` so many times between `before` and `after`. */
type Told = string | { hex: string } | { before?: string; repeat: string; times: number; after?: string }

function bytesOf(told: Told): Buffer {
  if (typeof told === 'string') return Buffer.from(told)
  if ('hex' in told) return Buffer.from(told.hex, 'hex')
  return Buffer.from(`${told.before ?? ''}${told.repeat.repeat(told.times)}${told.after ?? ''}`)
}

const textOf = (told: Told): string => bytesOf(told).toString()

function hostileBody(kind: string, type: string, body: Buffer, refused = false): HostileBody {
  const label = `${kind}: ${type.slice(0, 60)}: ${JSON.stringify(body.toString().slice(0, 40))}`
  return { kind, label, type, body, refused }
}

const MULTIPART = 'multipart/form-data; boundary=x'
const NAMED = 'Content-Disposition: form-data; name="a"'
const CLOSING = '--x--\r\n'

const multipart = (kind: string, body: string, refused = false): HostileBody =>
  hostileBody(kind, MULTIPART, Buffer.from(body), refused)

const part = (headers: string, value = '1'): string => `--x\r\n${headers}\r\n\r\n${value}\r\n`

const ofCharset = (charset: Told): string =>
  `${part(`${NAMED}\r\nContent-Type: text/plain; charset=${textOf(charset)}`)}${CLOSING}`

const COMPLETE = Buffer.from(
  [
    part(NAMED, 'value'),
    part('Content-Disposition: form-data; name="f"; filename="f.bin"\r\nContent-Type: image/png', 'bytes'),
    part('Content-Disposition: form-data; name="b"\r\nContent-Type: text/plain; charset=utf-8', '\u00e4'),
    CLOSING,
  ].join(''),
)

const MANY_PARAMETERS = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, n]))

/** The bodies of hostile-bodies.json, and a multipart body cut off after each of its bytes. */
export const hostileBodies: readonly HostileBody[] = [
  ...hostile.bodies.flatMap(({ kind, types, bodies, refused }) =>
    types.flatMap((type) => bodies.map((body) => hostileBody(kind, textOf(type), bytesOf(body), refused))),
  ),
  hostileBody('long JSON', 'application/json', Buffer.from(JSON.stringify(MANY_PARAMETERS))),
  ...hostile.charsets.map((charset) => multipart('charset', ofCharset(charset))),
  ...hostile.unknown_charsets.map((charset) => multipart('unknown charset', ofCharset(charset), true)),
  ...hostile.part_headers.flatMap((headers) => [
    multipart('part', part(textOf(headers)) + CLOSING),
    multipart('unfinished part', part(textOf(headers))),
  ]),
  ...hostile.multipart_types.map((type) => hostileBody('boundary', textOf(type), COMPLETE)),
  ...Array.from(COMPLETE, (_, bytes) => hostileBody('cut off', MULTIPART, COMPLETE.subarray(0, bytes))),
]
