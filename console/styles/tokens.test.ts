import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const tokens = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The colours of a token, light and dark; one colour serves for both. */
function coloursOf(token: string): readonly [string, string] {
  const line = tokens.split('\n').find((one) => one.trim().startsWith(`--${token}:`)) ?? ''
  const [light = '', dark = light] = line.match(/#[0-9a-f]{6}/g) ?? []
  return [light, dark]
}

/** The relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const TEXT_CONTRAST = 4.5
const EDGE_CONTRAST = 3

const PAIRS = [...page.matchAll(/^\| `--([\w-]+)` \| `--([\w-]+)` \| ([\d.]+) \| ([\d.]+) \|$/gm)]

test('the page lists the pairs of text and background', () => {
  expect(PAIRS.length).toBeGreaterThan(15)
})

test.each(PAIRS.map(([, text = '', on = '', light, dark]) => [text, on, light, dark] as const))(
  '--%s on --%s is legible',
  (text, on, light, dark) => {
    const [texts, backgrounds] = [coloursOf(text), coloursOf(on)]
    const ratios = [contrast(texts[0], backgrounds[0]), contrast(texts[1], backgrounds[1])]

    expect(ratios.map((ratio) => ratio.toFixed(1))).toEqual([light, dark])
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(text === 'edge' ? EDGE_CONTRAST : TEXT_CONTRAST)
  },
)
