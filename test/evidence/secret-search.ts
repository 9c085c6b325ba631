/** From here on chance does not write a secret: it is looked for anywhere in a text. */
const LONG = 6

/** Counts only as a word of letters and digits: others occur in texts and numbers by chance. */
const SHORT = /^(?=.*[a-z])(?=.*\d).{4,}$/i

/** Texts that contain a short secret by chance: frames of a stack, and random ids. */
const BY_CHANCE = /^\s+at .*$|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gm

const WORDS = /[\p{L}\p{N}]+/gu

/** The names of the fields of a line in the code. */
const FIELD = /^[A-Za-z_]+$/

/** Whether a secret can be looked for at all. */
export const isSearchable = (secret: string): boolean => secret.length >= LONG || SHORT.test(secret)

/**
 * Finds the secrets in a log line, plain or escaped as in a URL, in one pass for any number of them. The line
 * is JSON or plain text; its texts are searched as they were before they became JSON.
 */
export function secretSearch(secrets: Iterable<string>): (line: string) => string[] {
  const byBeginning = new Map<string, string[]>()
  const words = new Set<string>()
  for (const secret of new Set([...secrets].flatMap((one) => [one, escaped(one)]))) {
    if (secret.length >= LONG) addTo(byBeginning, secret)
    else if (isSearchable(secret)) words.add(secret)
  }
  return (line) => [
    ...new Set(textsIn(line).flatMap((text) => [...found(byBeginning, text), ...among(words, text)])),
  ]
}

const escaped = (secret: string): string => encodeURIComponent(secret.toWellFormed())

function addTo(byBeginning: Map<string, string[]>, secret: string): void {
  const beginning = secret.slice(0, LONG)
  const others = byBeginning.get(beginning)
  if (others) others.push(secret)
  else byBeginning.set(beginning, [secret])
}

function found(byBeginning: ReadonlyMap<string, readonly string[]>, text: string): string[] {
  const secrets: string[] = []
  for (let index = 0; index <= text.length - LONG; index += 1) {
    const candidates = byBeginning.get(text.slice(index, index + LONG))
    if (candidates) secrets.push(...candidates.filter((secret) => text.startsWith(secret, index)))
  }
  return secrets
}

const among = (words: ReadonlySet<string>, text: string): string[] =>
  (text.match(WORDS) ?? []).filter((word) => words.has(word))

function textsIn(line: string): string[] {
  try {
    return textsOf(JSON.parse(line)).map((text) => text.replace(BY_CHANCE, ''))
  } catch {
    return [line]
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [
    ...(FIELD.test(name) ? [] : [name]),
    ...textsOf(part),
  ])
}
