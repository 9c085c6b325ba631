import confusables from './confusables.json' with { type: 'json' }

/**
 * ASCII letters and digits, by the characters that Unicode calls confusable with them (confusables.txt of
 * UTS 39), without those that a compatibility decomposition turns into ASCII.
 */
const ASCII_OF = new Map(
  Object.entries(confusables).flatMap(([ascii, characters]) =>
    [...characters].map((character) => [character, ascii] as const),
  ),
)

/** ASCII that is confusable itself: in a name that is not all ASCII, one may replace the other. */
const ALIKE: ReadonlyMap<string, readonly string[]> = new Map([
  ['l', ['l', '1']],
  ['1', ['1', 'l']],
  ['o', ['o', '0']],
  ['0', ['0', 'o']],
  ['m', ['m', 'rn']],
  ['rn', ['rn', 'm']],
])

/** A name has few such characters. The reads for one are bounded. */
const MOST_VARIANTS = 30

/**
 * The other names that somebody could mistake a name for, in lower case, capitalised and in capitals. ASCII
 * names differ in more than case; any other name has no ASCII name with its skeleton (UTS 39, 4).
 */
export function lookalikes(name: string): readonly string[] {
  const ascii = asciiOf(name)
  const read = ascii === undefined || ascii === name ? [name] : variantsOf(ascii.toLowerCase())
  const spelled = read.flatMap((one) => {
    const lower = one.toLowerCase()
    return [lower, lower.slice(0, 1).toUpperCase() + lower.slice(1), one.toUpperCase()]
  })
  return [...new Set(spelled)].filter((one) => one !== name)
}

/** Undefined for a name with a character that no ASCII text looks like. */
function asciiOf(name: string): string | undefined {
  const characters = [...name.normalize('NFD')].map((one) => ASCII_OF.get(one) ?? one.normalize('NFKC'))
  const text = characters.join('')
  return /^[ -~]*$/.test(text) ? text : undefined
}

const variantsOf = (text: string): readonly string[] =>
  (text.match(/rn|./g) ?? []).reduce<readonly string[]>(
    (texts, part) =>
      texts.flatMap((one) => (ALIKE.get(part) ?? [part]).map((other) => one + other)).slice(0, MOST_VARIANTS),
    [''],
  )
