import { createHmac, hash } from 'node:crypto'

/** A way in which clients change the values before they hash them. */
export interface ValueSpelling {
  /** Completes "The hash was made of a + b + key, ...". */
  readonly says: string
  readonly advice: string
  readonly pieces: (values: readonly SentValue[]) => readonly string[]
  /** The text between the pieces. */
  readonly glue?: string
  /** The strings were hashed as Latin-1 instead of UTF-8. */
  readonly latin1?: true
}

/** The value is `undefined` if the parameter was not sent. */
export type SentValue = readonly [name: string, value: string | undefined]

const valuesAs =
  (change: (value: string) => string): ValueSpelling['pieces'] =>
  (values) =>
    values.map(([, value]) => change(value ?? ''))

const AS_SENT: ValueSpelling = {
  says: '',
  advice: '',
  pieces: valuesAs((value) => value),
}

const changed = (says: string, change: (value: string) => string): ValueSpelling => ({
  says,
  advice: 'Hash the values exactly as they are sent.',
  pieces: valuesAs(change),
})

const missingAs = (word: string): ValueSpelling => ({
  says: `with the word ${word} for missing parameters`,
  advice: 'A missing parameter adds nothing to the hash.',
  pieces: (values) => values.map(([, value]) => value ?? word),
})

const gluedBy = (glue: string, called: string): ValueSpelling => ({
  says: `with a ${called} between the values`,
  advice: 'Join the values with nothing between them.',
  pieces: AS_SENT.pieces,
  glue,
})

const named = (glue: string, between: string): ValueSpelling => ({
  says: 'with the names of the parameters among their values',
  advice: 'Hash the values alone, without names.',
  pieces: (values) =>
    values.flatMap(([name, value]) => (value === undefined ? [] : `${name}${between}${value}`)),
  glue,
})

const asForm = (value: string): string => new URLSearchParams({ value }).toString().slice('value='.length)

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return value
  }
}

/** A form, and a query string, has a blank where a client wrote a plus. */
const PLUS_UNENCODED: ValueSpelling = {
  says: 'with a + where the value has a blank',
  advice: 'Send a + as %2B, because a form has a blank in its place; hash a blank as a blank.',
  pieces: valuesAs((value) => value.replaceAll(' ', '+')),
}

/** The likeliest spellings first. */
export const VALUE_SPELLINGS: readonly ValueSpelling[] = [
  AS_SENT,
  PLUS_UNENCODED,
  changed('with values that were trimmed', (value) => value.trim()),
  changed('with values that were URL-encoded first', encodeURIComponent),
  changed('with values that were encoded as in a form first', asForm),
  changed('with values that had not been URL-encoded yet', unescaped),
  changed('with values in upper case', (value) => value.toUpperCase()),
  changed('with values in lower case', (value) => value.toLowerCase()),
  named('&', '='),
  named('', '='),
  named('', ''),
  ...['undefined', 'null', 'None', '0'].map(missingAs),
  gluedBy('&', 'ampersand'),
  gluedBy(',', 'comma'),
  gluedBy('|', 'bar'),
  gluedBy(':', 'colon'),
  gluedBy(';', 'semicolon'),
  gluedBy(' ', 'space'),
  gluedBy('-', 'hyphen'),
  gluedBy('\n', 'line feed'),
  {
    says: 'as a JSON object',
    advice: 'Hash the values alone, joined with nothing between them.',
    pieces: (values) => [JSON.stringify(Object.fromEntries(values))],
  },
  {
    ...AS_SENT,
    says: 'in Latin-1',
    advice: 'Hash the values as UTF-8, as they are sent.',
    latin1: true,
  },
]

export type HashAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** A way in which clients add the key. */
export interface KeySpelling {
  readonly says: string
  readonly advice: string
  readonly digest: (text: TextToHash, algorithm: HashAlgorithm) => string
}

export interface TextToHash {
  readonly pieces: readonly string[]
  readonly glue: string
  readonly key: string
  readonly encoding: 'utf8' | 'latin1'
}

const hashed =
  (write: (text: TextToHash, joined: string) => string): KeySpelling['digest'] =>
  (text, algorithm) =>
    hash(algorithm, encoded(write(text, text.pieces.join(text.glue)), text), 'hex')

/** A string is hashed as UTF-8, which is faster than hashing its bytes. */
const encoded = (text: string, { encoding }: TextToHash): string | Buffer =>
  encoding === 'utf8' ? text : Buffer.from(text, encoding)

const BEHIND: KeySpelling = {
  says: '',
  advice: '',
  digest: hashed(({ key }, joined) => joined + key),
}

const keyAs = (says: string, change: (key: string) => string): KeySpelling => ({
  says,
  advice: 'Use the key exactly as the setting API_Secret_Key has it.',
  digest: hashed(({ key }, joined) => joined + change(key)),
})

const keyAt = (says: string, digest: KeySpelling['digest']): KeySpelling => ({
  says,
  advice: 'Append the key once, after the last value.',
  digest,
})

/** The keys of the published examples. */
const EXAMPLE_KEYS = ['456789', 'secret']

const capitalised = (key: string, letters: RegExp): string =>
  key.replace(letters, (letter) => letter.toUpperCase())

const swapCase = (key: string): string =>
  key.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )

const anotherKey = (says: string, key: string): KeySpelling => ({
  ...keyAs(says, () => key),
  advice: 'Use the key that the setting API_Secret_Key has now.',
})

/** No key was added at all. */
export const WITHOUT_KEY = keyAt(
  'without the key',
  hashed((_text, joined) => joined),
)

const KEY_SPELLINGS: readonly KeySpelling[] = [
  BEHIND,
  keyAs('with a line feed at the end of the key', (key) => `${key}\n`),
  keyAs('with a carriage return and a line feed at the end of the key', (key) => `${key}\r\n`),
  keyAs('with a space at the end of the key', (key) => `${key} `),
  keyAs('with the key trimmed', (key) => key.trim()),
  keyAs('with quotes around the key', (key) => `"${key}"`),
  keyAs('with the key in upper case', (key) => key.toUpperCase()),
  keyAs('with the key in lower case', (key) => key.toLowerCase()),
  keyAs('with the first letter of the key capitalised', (key) => capitalised(key, /^./)),
  keyAs('with the words of the key capitalised', (key) => capitalised(key, /\b[a-z]/g)),
  keyAs('with the case of the key swapped', swapCase),
  keyAs('with a byte order mark before the key', (key) => `\uFEFF${key}`),
  keyAs('with the hash of the key instead of the key', (key) => hash('sha1', key, 'hex')),
  keyAt(
    'with the same separator before the key',
    hashed(({ pieces, glue, key }) => [...pieces, key].join(glue)),
  ),
  keyAt(
    'with the key in front',
    hashed(({ key }, joined) => key + joined),
  ),
  keyAt(
    'with the key in front',
    hashed(({ pieces, glue, key }) => [key, ...pieces].join(glue)),
  ),
  keyAt(
    'with the key on both sides',
    hashed(({ key }, joined) => key + joined + key),
  ),
  WITHOUT_KEY,
  keyAt('as an HMAC under the key', ({ pieces, glue, key, encoding }, algorithm) =>
    createHmac(algorithm, key).update(pieces.join(glue), encoding).digest('hex'),
  ),
  ...EXAMPLE_KEYS.map((key) => anotherKey('with the key of the published examples', key)),
]

/** The likeliest spellings first. The old key is tried only if it is given. */
export const keySpellings = (oldKey: string | undefined): KeySpelling[] => [
  ...KEY_SPELLINGS,
  ...(oldKey === undefined ? [] : [anotherKey('with the old key', oldKey)]),
]
