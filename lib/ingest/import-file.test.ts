import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partsOfRows } from './import-file.ts'

test('the parts of a file join to the file, and each ends with a row', async () => {
  const cell = fc
    .array(fc.constantFrom('x', '"', '\n', '\r', ',', 'é'), { maxLength: 6 })
    .map((parts) => parts.join(''))
  const line = fc.array(cell, { minLength: 2, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (table, partBytes, chunkBytes, endsWithLine) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const lines = table.map((cells) => cells.map(quoted).join(','))
        const whole = Buffer.from(`a,b\n${lines.join('\n')}${endsWithLine ? '\n' : ''}`)
        const chunks = Array.from({ length: Math.ceil(whole.length / chunkBytes) }, (_, n) =>
          whole.subarray(n * chunkBytes, (n + 1) * chunkBytes),
        )

        const parts = []
        for await (const part of partsOfRows(Readable.from(chunks), true, partBytes)) parts.push(part)

        const texts = parts.map(({ from, to }) => whole.subarray(from, to).toString())
        expect(texts.join('')).toBe(whole.subarray(4).toString())
        for (const { headerEnd } of parts) expect(headerEnd).toBe(4)
        const ends = new Set(lines.map((_, n) => `${lines.slice(0, n + 1).join('\n')}\n`.length))
        let end = 0
        for (const part of texts.slice(0, -1)) {
          end += part.length
          expect(ends.has(end)).toBe(true)
        }
      },
    ),
  )
})
