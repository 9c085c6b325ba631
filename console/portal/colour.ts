/** The parts of a colour `#rrggbb`, red first. */
const partsOf = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** The relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function mixed(colour: string, other: string, share: number): string {
  const others = partsOf(other)
  const parts = partsOf(colour).map((part, index) =>
    Math.round(part * (1 - share) + (others[index] ?? 0) * share),
  )
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

const [BLACK, WHITE] = ['#000000', '#ffffff']

/** That of text (WCAG 2.2 AA). */
const TEXT_CONTRAST = 4.5

const STEPS = Array.from({ length: 21 }, (_, step) => step / 20)

/** The colour, mixed with black or white until it is legible on all of these. */
const legible = (colour: string, towards: string, on: readonly string[]): string =>
  STEPS.map((share) => mixed(colour, towards, share)).find((one) =>
    on.every((background) => contrast(one, background) >= TEXT_CONTRAST),
  ) ?? towards

/** The backgrounds of tokens.css on which text has the accent: sunken, and raised in the dark. */
const BACKGROUNDS = { light: '#f0f3f7', dark: '#161a21' }

/** The tokens that a seller's colour replaces. Text in it and on it is legible with any colour. */
export function tokensOf(colour: string): Readonly<Record<string, string>> {
  const soft = { light: mixed(colour, WHITE, 0.9), dark: mixed(colour, BLACK, 0.8) }
  const light = legible(colour, BLACK, [BACKGROUNDS.light, soft.light])
  const dark = legible(colour, WHITE, [BACKGROUNDS.dark, soft.dark])
  const isDark = contrast(colour, WHITE) >= TEXT_CONTRAST
  return {
    '--accent': `light-dark(${light}, ${dark})`,
    '--accent-soft': `light-dark(${soft.light}, ${soft.dark})`,
    '--bar': `light-dark(${light}, ${dark})`,
    '--primary': colour,
    '--primary-hover': mixed(colour, isDark ? BLACK : WHITE, 0.15),
    '--on-primary': isDark ? WHITE : BLACK,
  }
}
