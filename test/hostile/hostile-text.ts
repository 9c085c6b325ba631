import fc from 'fast-check'

/** Texts that an XML writer may get wrong: escapes as text, delimiters, impossible characters. */
const TRAPS = [
  ...'&amp; &amp;amp; &lt; &#13; & < > <a/> </a> ]]> <![CDATA[ --> " $& é 😀'.split(' '),
  ..."'|\r|\r\n|\n|\t| |\u0000|\u001F|\u0085|\u2028|\uD83D|\uDE00|\uFFFE|\uFFFF".split('|'),
]

/** Any text, well-formed Unicode or not, with traps in it more often than not. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...TRAPS), fc.string({ unit: 'binary' }), anyUnit()), { maxLength: 8 })
  .map((parts) => parts.join(''))

function anyUnit(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))
}
