/** How many characters (UTF-16 code units) a stored text may have; items stay far below DynamoDB's 400 KB. */
export const LONGEST_TEXT = 4000

/** Everything but the characters XML 1.0 (section 2.2) allows; neither half of a surrogate pair is one by itself. */
const NOT_XML =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const NOT_XML_ANYWHERE = new RegExp(NOT_XML, 'g')

/** Whether every character of the text can stand in an XML 1.0 document (wire.md 4.3). */
export const fitsXml = (text: string): boolean => !NOT_XML.test(text)

/** The text without the characters that cannot stand in an XML 1.0 document, not even escaped. */
export const fittedToXml = (text: string): string => text.replace(NOT_XML_ANYWHERE, '')

/** At most `length` UTF-16 code units of the text, well-formed: it never ends within a surrogate pair. */
export function cutText(text: string, length: number): string {
  const cut = text.toWellFormed().slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
