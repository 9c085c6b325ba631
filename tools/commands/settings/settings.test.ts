import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { Refusal } from '#lib/base/refusal.ts'
import { findBrand } from '#lib/invoicing/documents/brand.ts'
import { aWorld } from '#test/world.ts'
import { refusedCommand } from '#tools/command-line/remedies.ts'
import { changeBrand } from './settings.ts'

const folder = mkdtempSync(`${tmpdir()}/brand-`)

/** One black pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

const act = { as: undefined, now: new Date('2026-06-02T08:00:00Z') }

test('a logo and a colour are those of a seller, and what is left out stays', async () => {
  const { store } = await aWorld()
  writeFileSync(`${folder}/logo.png`, PIXEL)

  await changeBrand(store, { logo: `${folder}/logo.png` }, act)
  const lines = await changeBrand(store, { colour: '#0A7D5A' }, act)

  expect(lines).toEqual([`logo: ${PIXEL.length} bytes`, 'colour: #0a7d5a', 'footer: none'])
  expect((await findBrand(store, 0)).logo).toMatch(/^data:image\/png;base64,/)
  expect(await findBrand(store, 20)).toEqual({ logo: '', colour: '', footer: '' })
  expect(await changeBrand(store, { logo: false, colour: '' }, act)).toEqual([
    'logo: none',
    'colour: that of the console',
    'footer: none',
  ])
})

test('a footer has lines, and a blank one removes it', async () => {
  const { store } = await aWorld()

  await changeBrand(store, { footer: 'HRB 1234\\nGeschäftsführer: A. Dent' }, act)
  expect((await findBrand(store, 0)).footer).toBe('HRB 1234\nGeschäftsführer: A. Dent')
  await expect(changeBrand(store, { footer: 'x'.repeat(1001) }, act)).rejects.toThrow(
    'at most 1000 characters',
  )
  expect((await changeBrand(store, { footer: '' }, act)).at(-1)).toBe('footer: none')
})

test.each([
  ['text.png', Buffer.from('no picture'), 'a logo is a PNG or a JPEG'],
  ['large.png', Buffer.concat([PIXEL, Buffer.alloc(100_000)]), /at most 100000 bytes/],
  ['cut.png', PIXEL.subarray(0, 40), /cut\.png: the file is damaged/],
])('%s is refused', async (name, bytes, message) => {
  const { store } = await aWorld()
  writeFileSync(`${folder}/${name}`, bytes)

  await expect(changeBrand(store, { logo: `${folder}/${name}` }, act)).rejects.toThrow(message)
  await expect(changeBrand(store, { logo: `${folder}/none.png` }, act)).rejects.toThrow(/no such file/)
  const refusal = await changeBrand(store, { colour: 'red' }, act).catch((error: unknown) => error)
  expect(refusedCommand(refusal as Refusal).message).toContain('expected colour such as #0a7d5a')
})
