/** The text of a value in a JSON document. */
export interface JsonSegment {
  readonly text: string
  /** True if the document has only this value. */
  readonly isAlone: boolean
  /** Set for a member of a list. `unclosed`: the list is cut off. */
  readonly list?: 'closed' | 'unclosed'
}

/**
 * Finds the values of a document by its brackets: objects that begin on a line of their own, lines that are
 * not objects, and the members of lists. It takes at most two passes over the text. A caller that parses
 * anyway passes `isObject`, which saves one of them.
 */
export function* segmentsOf(document: string, isObject = isWholeObject): Generator<JsonSegment> {
  const text = trimmed(document, 0, document.length)
  const endOf = createSegmentEnds(text, isObject)
  let [at, isCutOff] = [0, false]
  while (at < text.length) {
    if (text.charCodeAt(at) === LIST) {
      // An unclosed list ends with its line: another look through the rest would take quadratic time.
      const list = yield* membersAt(isCutOff ? text.slice(0, endOfLine(text, at)) : text, at, endOf)
      at = list.next
      isCutOff ||= !list.isClosed
    } else {
      const end = endOf(at)
      yield { text: trimmed(text, at, end), isAlone: end - at === text.length }
      at = end
    }
    at = afterBlanks(text, at)
  }
}

/** Returns whether one pair of braces encloses the whole text. The content is not checked. */
export function isWholeObject(text: string): boolean {
  let [at, depth] = [0, Number(text.charCodeAt(0) === OBJECT)]
  while (depth > 0 && at < text.length) {
    at = nextMark(text, at + 1)
    depth += stepAt(text, at)
  }
  return at > 0 && at === text.length - 1
}

/** Switches nest fewer brackets. A recursive parser makes one call for each level. */
export const MAX_DEPTH = 64

export function isTooDeep(text: string): boolean {
  if (hasAtMost(text, '{', MAX_DEPTH / 2) && hasAtMost(text, '[', MAX_DEPTH / 2)) return false
  let [at, depth] = [nextMark(text, 0), 0]
  while (at < text.length && depth <= MAX_DEPTH) {
    depth += stepAt(text, at)
    at = nextMark(text, at + 1)
  }
  return depth > MAX_DEPTH
}

/** The members of an object that have one of these names, by name, as the text writes them. */
export const membersNamed = (text: string, names: ReadonlySet<string>): ReadonlyMap<string, string> =>
  new Map(membersOf(text).filter(([name]) => names.has(name)))

/** The members of an object in their order, repeated names included. */
export const membersOf = (text: string): [name: string, value: string][] =>
  [...memberSpans(text, 0)].flatMap(({ start, end }): [string, string][] => {
    const quote = text.indexOf('"', start)
    if (quote === -1 || quote >= end) return []
    const colon = text.indexOf(':', endOfString(text, quote + 1))
    return [[String(JSON.parse(text.slice(start, colon))), text.slice(colon + 1, end).trim()]]
  })

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE, COMMA, LIST, BACKSLASH, OBJECT] = [
  9, 10, 13, 32, 34, 44, 91, 92, 123,
]

/** A list that is not closed ends with its last member, which ends as it would outside of a list. */
function* membersAt(
  text: string,
  open: number,
  endOf: (start: number) => number,
): Generator<JsonSegment, { readonly next: number; readonly isClosed: boolean }> {
  const spans = memberSpans(text, open)
  let span = spans.next()
  while (!span.done && span.value.end < text.length) {
    const { start, end } = span.value
    const member = trimmed(text, start, end)
    if (member !== '') yield { text: member, isAlone: false, list: 'closed' }
    span = spans.next()
  }
  if (span.done) return { next: span.value, isClosed: true }
  const { start } = span.value
  const next = endOf(afterBlanks(text, start))
  yield { text: trimmed(text, start, next), isAlone: false, list: 'unclosed' }
  return { next, isClosed: false }
}

function endOfLine(text: string, start: number): number {
  const lineFeed = text.indexOf('\n', start)
  return lineFeed === -1 ? text.length : lineFeed
}

/** The members between a bracket and its counterpart; returns the offset after the counterpart. */
function* memberSpans(text: string, open: number): Generator<{ start: number; end: number }, number> {
  let start = open + 1
  for (;;) {
    const end = endOfMember(text, start)
    yield { start, end }
    if (text.charCodeAt(end) !== COMMA) return end + 1
    start = end + 1
  }
}

/** The offset of the comma or the closing bracket after a member. */
function endOfMember(text: string, start: number): number {
  let [at, depth] = [nextMark(text, start), 0]
  while (at < text.length && (depth > 0 || stepAt(text, at) === 1)) {
    depth += stepAt(text, at)
    at = nextMark(text, at + 1)
  }
  return at
}

/** An object may span several lines if nothing follows it on the last one. Any other segment is a line. */
function createSegmentEnds(text: string, isObject: (line: string) => boolean): (start: number) => number {
  let closings: Int32Array | undefined

  return (start) => {
    const lineEnd = endOfLine(text, start)
    if (text.charCodeAt(start) !== OBJECT || isObject(trimmed(text, start, lineEnd))) return lineEnd
    closings ??= closingsIn(text)
    return endOfObject(text, closings[start]) ?? lineEnd
  }
}

function endOfObject(text: string, closing: number | undefined): number | undefined {
  if (!closing) return undefined
  return LINE_ENDS.has(text.charAt(afterSpaces(text, closing))) ? closing : undefined
}

const LINE_ENDS = new Set(['', '\n'])

/** Keyed by the offset of each opening bracket: the offset after its counterpart, or 0 if it has none. */
function closingsIn(text: string): Int32Array {
  const closings = new Int32Array(text.length)
  const open: number[] = []
  for (let index = nextMark(text, 0); index < text.length; index = nextMark(text, index + 1)) {
    const step = stepAt(text, index)
    if (step === 1) open.push(index)
    const opening = step === -1 ? open.pop() : undefined
    if (opening !== undefined) closings[opening] = index + 1
  }
  return closings
}

/** The change of depth at each mark. */
const MARKS = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
  [',', 0],
])

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
const IS_MARK = Uint8Array.from(ASCII, (character) => Number(MARKS.has(character)))
const STEPS = Int8Array.from(ASCII, (character) => MARKS.get(character) ?? 0)

const stepAt = (text: string, at: number): number => STEPS[text.charCodeAt(at)] ?? 0

/** The offset of the next bracket or comma outside of strings, or the length of the text. */
function nextMark(text: string, start: number): number {
  let at = start
  while (at < text.length && IS_MARK[text.charCodeAt(at)] !== 1) {
    at = text.charCodeAt(at) === QUOTE ? endOfString(text, at + 1) : at + 1
  }
  return Math.min(at, text.length)
}

/** The offset after the closing quote. A line feed ends a string: an unclosed quote spoils only its line. */
function endOfString(text: string, start: number): number {
  let at = start
  while (at < text.length && isInString(text.charCodeAt(at))) {
    const isEscape = text.charCodeAt(at) === BACKSLASH && text.charCodeAt(at + 1) !== LINE_FEED
    at += isEscape ? 2 : 1
  }
  return at + 1
}

const BYTE_ORDER_MARK = 0xfeff

const isInString = (code: number): boolean => code !== QUOTE && code !== LINE_FEED

function hasAtMost(text: string, character: string, max: number): boolean {
  let [at, count] = [text.indexOf(character), 0]
  while (at !== -1 && count <= max) {
    at = text.indexOf(character, at + 1)
    count += 1
  }
  return count <= max
}

function afterBlanks(text: string, start: number): number {
  let at = afterSpaces(text, start)
  while (text.charCodeAt(at) === LINE_FEED) at = afterSpaces(text, at + 1)
  return at
}

/** A slice without JSON's white space around it. Other white space, such as a no-break space, stays. */
export function trimmed(text: string, start: number, end: number): string {
  const first = Math.min(afterBlanks(text, start), end)
  let last = end
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1
  return text.slice(first, last)
}

const isBlank = (code: number): boolean => code === LINE_FEED || isSpace(code)

function afterSpaces(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

/** A byte order mark counts as a space: concatenated files have one in the middle. */
const isSpace = (code: number): boolean =>
  code === SPACE || code === TAB || code === CARRIAGE_RETURN || code === BYTE_ORDER_MARK
