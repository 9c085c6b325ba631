import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { sessionPicture } from './session-picture.ts'

test('a picture is well-formed, wraps long commands and cuts long lines', () => {
  const command = `curl -d 'a=1&b=<2>' http://localhost:3000/${'x'.repeat(100)}`
  const picture = sessionPicture([{ command, lines: ['y'.repeat(500), 'end'] }])
  new SaxesParser().write(picture).close()
  const rows = [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)

  expect(rows).toHaveLength(5)
  expect(rows[0]).toMatch(/^\$ curl -d 'a=1&amp;b=&lt;2&gt;' http/)
  expect(rows[3]).toBe(`${'y'.repeat(103)}…`)
  expect(rows[4]).toBe('end')
})
