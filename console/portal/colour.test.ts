import { expect, test } from 'vitest'
import { contrast, tokensOf } from './colour.ts'

const SHADES = ['00', '33', '80', 'b0', 'ff']

const COLOURS = SHADES.flatMap((red) =>
  SHADES.flatMap((green) => SHADES.map((blue) => `#${red}${green}${blue}`)),
)

const pairOf = (token = ''): string[] => token.match(/#[0-9a-f]{6}/g) ?? []

test('text in and on any colour of a seller is legible, in the light and in the dark', () => {
  const illegible = COLOURS.filter((colour) => {
    const tokens = tokensOf(colour)
    const [[light = '', dark = ''], [softLight = '', softDark = '']] = [
      pairOf(tokens['--accent']),
      pairOf(tokens['--accent-soft']),
    ]
    const pairs = [
      ...['#ffffff', '#f5f7fa', '#f0f3f7', softLight].map((on) => [light, on]),
      ...['#161a21', '#0e1116', '#10141a', softDark].map((on) => [dark, on]),
      ...['--primary', '--primary-hover'].map((on) => [tokens['--on-primary'], tokens[on]]),
    ]
    return pairs.some(([text = '', on = '']) => contrast(text, on) < 4.5)
  })

  expect(illegible).toEqual([])
})
