/** A body that nobody should send, with its type; `refused` where it must be HTTP 400, whatever else is decided. */
export interface HostileBody {
  readonly label: string
  readonly type: string
  readonly body: Buffer
  readonly refused?: true
}

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;q=1']
const FORM_TYPES = ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=latin1']
const MULTIPART = 'multipart/form-data; boundary=x'

const many = (text: string, times: number): string => text.repeat(times)

const NOT_OBJECTS = [
  ...[
    '0',
    '-0',
    '1',
    '-1.5',
    '1e999',
    '01',
    '00',
    '.5',
    'NaN',
    'Infinity',
    '-Infinity',
    '0x10',
    '1_000',
    '1n',
  ],
  ...[
    'null',
    'true',
    'false',
    'undefined',
    '""',
    '"text"',
    "'text'",
    '"',
    '\\',
    '[]',
    '[1]',
    '[{}]',
    '[[]]',
    '[null]',
  ],
  ...[
    '{',
    '}',
    '{]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    "{'a':1}",
    '{"a":1}}',
    '{}{}',
    '{} x',
    '// c\n{}',
  ],
  ...[
    '{"a":{}}',
    '{"a":[]}',
    '{"a":{"b":1}}',
    '{"a":[1,{"b":2}]}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":"\n"}',
  ],
  ...[
    '{"a":tru}',
    '{"a":nul}',
    '{"a":1.}',
    '{"a":.1}',
    '{"a":1e}',
    '{"a":--1}',
    '\uFEFF0',
    'function(){}',
    '<a/>',
  ],
]

const LONG_NOT_OBJECTS = [
  ...[
    many('[', 200_000),
    many('{"a":', 100_000),
    `{"a":${many('[', 50_000)}`,
    many('"', 3),
    many('1', 900_000),
  ],
]

const ODD_OBJECTS = [
  ...[
    '{}',
    ' {} ',
    '{"":""}',
    '{"a":"\\ud800"}',
    '{"\\udfff":"x"}',
    '{"a":"\\u0000"}',
    '{"a":-0}',
    '{"a":1e999}',
  ],
  ...[
    '{"__proto__":"x"}',
    '{"__proto__":1}',
    '{"constructor":"x"}',
    '{"toString":null}',
    '{"hash":false}',
    '{"u":0}',
  ],
]

const LONG_OBJECTS = [
  `{${Array.from({ length: 20_000 }, (_, index) => `"p${index}":${index}`).join()}}`,
  `{"a":"${many('x', 900_000)}"}`,
]

const FORMS = [
  ...[
    '%',
    '%%',
    '%z',
    '%0',
    '%zz=1',
    '=',
    '==',
    '&',
    '&&&=&',
    'a',
    'a=%00',
    'a=+',
    'a[b]=1',
    'a[]=1&a[]=2',
    '?a=1',
  ],
  ...[
    '__proto__=x',
    '__proto__[a]=x',
    'constructor=x',
    'hash[]=',
    'u=\u0000',
    '\u{10FFFF}=\u{10FFFF}',
    '{"a":1}',
  ],
]

const LONG_FORMS = [
  many('&', 500_000),
  many('a=1&', 100_000),
  many('%41', 300_000),
  `a=${many('%25', 300_000)}`,
]

const BROKEN_FORMS = ['a=%FF', '%C3%28=1', 'a=%ED%A0%80', 'a=%F8%88%80%80%80', 'a=%C0%AF', 'u=%80']

const BROKEN_BYTES = [
  [0xff],
  [0xfe, 0xff, 0x00, 0x30],
  [0x80],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0x7b, 0x22, 0xff, 0x22, 0x7d],
]

const CHARSETS = [
  ...[
    'x-unknown',
    'utf-7',
    'klingon',
    'UTF-99',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'iso-8859-2',
  ],
  ...['windows-1251', 'shift_jis', 'gb18030', 'utf-16be', many('u', 5000), '*', '$', '^'],
]

const part = (headers: string, value = '1'): string => `--x\r\n${headers}\r\n\r\n${value}\r\n`
const NAMED = 'Content-Disposition: form-data; name="a"'
const whole = (...parts: string[]): string => `${parts.join('')}--x--\r\n`
const ofCharset = (charset: string): string =>
  whole(part(`${NAMED}\r\nContent-Type: text/plain; charset=${charset}`))

const PARTS = [
  ...[
    '',
    'x',
    'Content-Disposition',
    'Content-Disposition:',
    ': x',
    'Content-Disposition: form-data',
    `${NAMED}; x`,
  ],
  ...[
    'Content-Disposition: form-data; name',
    'Content-Disposition: form-data; name=',
    'Content-Disposition: attachment',
  ],
  ...[
    'Content-Disposition: form-data; name="',
    'Content-Disposition: form-data; name="a\\"',
    `X: ${many('x', 100_000)}`,
  ],
  ...["Content-Disposition: form-data; name*=UTF-8''%ff", "Content-Disposition: form-data; name*=x-no''a"],
  ...[
    `${NAMED}; filename="f"`,
    `${NAMED}; filename*=x-no''f`,
    `${NAMED}; filename=".."`,
    `${NAMED}; filename=""`,
  ],
  ...[
    `${NAMED}\r\nContent-Type: /`,
    `${NAMED}\r\nContent-Type: text/plain; charset`,
    `${NAMED}\r\nContent-Type:`,
  ],
  ...[
    `${NAMED}\r\nContent-Transfer-Encoding: base64`,
    `${NAMED}\r\nContent-Type: multipart/mixed; boundary=y`,
  ],
  ...[many('X: y\r\n', 3000) + NAMED, `${NAMED}\r\nContent-Type: application/octet-stream`, `\u0000: \u0000`],
]

const BOUNDARIES = [
  ...[
    'multipart/form-data',
    'multipart/form-data;',
    'multipart/form-data; boundary',
    'multipart/form-data; boundary=',
  ],
  ...[
    'multipart/form-data; boundary="',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary=y',
  ],
  ...[`multipart/form-data; boundary=${many('x', 5000)}`, 'multipart/form-data; boundary=x; boundary=y'],
  ...["multipart/form-data; boundary*=UTF-8''x", 'multipart/form-data; charset=x-no; boundary=x'],
]

const OTHER_TYPES = [
  ...[
    'text/plain',
    'text/xml',
    'application/xml',
    'multipart/mixed; boundary=x',
    'multipart',
    'application/',
    '/',
    ';',
  ],
  ...[
    'application/json-patch+json',
    'application/vnd.api+json',
    'application/octet-stream',
    'image/png',
    '*/*',
    'json',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', many('x', 5000)],
]

const COMPLETE = whole(
  part(NAMED, 'value'),
  part('Content-Disposition: form-data; name="f"; filename="f.bin"\r\nContent-Type: image/png', 'bytes'),
  part('Content-Disposition: form-data; name="b"\r\nContent-Type: text/plain; charset=utf-8', '\u00e4'),
)

/** Several hundred of every type, each cut off at every byte of a multipart body among them. */
export const hostileBodies: readonly HostileBody[] = [
  ...JSON_TYPES.flatMap((type) => [
    ...NOT_OBJECTS.map((body) => refused('no JSON object', type, body)),
    ...ODD_OBJECTS.map((body) => hostile('odd JSON', type, body)),
  ]),
  ...LONG_NOT_OBJECTS.map((body) => refused('long', 'application/json', body)),
  ...LONG_OBJECTS.map((body) => hostile('long JSON', 'application/json', body)),
  ...LONG_FORMS.map((body) => hostile('long form', 'application/x-www-form-urlencoded', body)),
  ...FORM_TYPES.flatMap((type) => [
    ...FORMS.map((body) => hostile('form', type, body)),
    ...BROKEN_FORMS.map((body) => refused('broken form', type, body)),
  ]),
  ...[...JSON_TYPES, ...FORM_TYPES].flatMap((type) =>
    BROKEN_BYTES.map((bytes) => refused('not UTF-8', type, Buffer.from(bytes))),
  ),
  ...CHARSETS.map((charset) => hostile('charset', MULTIPART, ofCharset(charset))),
  ...['x-unknown', 'utf-7', '__proto__', 'klingon'].map((charset) =>
    refused('unknown charset', MULTIPART, ofCharset(charset)),
  ),
  ...PARTS.flatMap((headers) => [
    hostile('part', MULTIPART, whole(part(headers))),
    hostile('unfinished part', MULTIPART, part(headers)),
  ]),
  ...BOUNDARIES.map((type) => hostile('boundary', type, COMPLETE)),
  ...Array.from({ length: Buffer.byteLength(COMPLETE) }, (_, length) =>
    hostile(`cut after ${length} bytes`, MULTIPART, Buffer.from(COMPLETE).subarray(0, length)),
  ),
  ...BROKEN_BYTES.map((bytes) => refused('multipart bytes', MULTIPART, Buffer.from(bytes))),
  ...OTHER_TYPES.map((type) => hostile('another type', type, '{"a":1}')),
]

function hostile(kind: string, type: string, body: string | Buffer): HostileBody {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const label = `${kind}: ${type.slice(0, 60)}: ${JSON.stringify(bytes.toString().slice(0, 40))}`
  return { label, type, body: bytes }
}

function refused(...told: Parameters<typeof hostile>): HostileBody {
  return { ...hostile(...told), refused: true }
}
