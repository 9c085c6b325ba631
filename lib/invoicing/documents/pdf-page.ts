import { create, type Font } from 'fontkit'
import PDFDocument from 'pdfkit'
import { memoize } from '#lib/base/collections.ts'
import { boldFont, regularFont } from './fonts.ts'

/** The share of its size by which a line of the font is above its baseline. */
const BASELINE = 1.025

/** Points from each edge of the paper. The footer is below the lower one. */
export const MARGIN = 50
const FOOTER = 30

const WEIGHTS = ['regular', 'bold'] as const

type Weight = (typeof WEIGHTS)[number]

/** The place and style of a drawn text. */
export interface Ink {
  readonly size?: number
  readonly weight?: Weight
  readonly colour?: string
  /** The text ends at the right of its width. */
  readonly isRight?: boolean
}

/** A text with the room that it has. */
type Box = Ink & { readonly width: number }

const DARK = '#1b2330'
export const GREY = '#566072'

/**
 * Reads a font once for all documents of a process. Its tables of ligatures and kerning are left out: fontkit
 * decodes them again for each word, which takes nine tenths of the time of a document.
 */
const fontOf = memoize((weight: Weight): Font => {
  const bytes = Buffer.from(weight === 'bold' ? boldFont() : regularFont())
  const tables = bytes.readUInt16BE(4)
  for (let entry = 12; entry < 12 + 16 * tables; entry += 16)
    if (/GSUB|GPOS|GDEF/.test(bytes.toString('latin1', entry, entry + 4)))
      bytes.write('xxxx', entry, 'latin1')
  return create(bytes) as Font
})

/** The characters of a text that neither font has: a PDF would show boxes. */
export const charactersOutsideFont = (text: string): string[] =>
  [...new Set(text)].filter((one) => !fontOf('regular').hasGlyphForCodePoint(one.codePointAt(0) ?? 0))

/** The facts about a PDF that its file holds. Equal documents have equal bytes. */
export interface PdfInfo {
  readonly paper: 'A4' | 'Letter'
  readonly language: string
  readonly title: string
  readonly author: string
  readonly created: Date
  /** For PDF/A-3, which is a PDF 1.7. */
  readonly isArchived: boolean
  /** Pages leave the memory when they are full. Without this they wait for the number of the last one. */
  readonly isStreamed: boolean
}

export type PdfPage = ReturnType<typeof openPdf>

export const PRODUCER = 'Tollgate'

function createPdf({
  paper,
  language,
  title,
  author,
  created,
  isArchived,
  isStreamed,
}: PdfInfo): PDFKit.PDFDocument {
  const pdf = new PDFDocument({
    size: paper === 'A4' ? 'A4' : 'LETTER',
    margin: 0,
    lang: language,
    ...(isArchived && { pdfVersion: '1.7' }),
    displayTitle: true,
    bufferPages: !isStreamed,
    font: fontOf('regular') as never,
    info: { Title: title, Author: author, Producer: PRODUCER, CreationDate: created },
  } as PDFKit.PDFDocumentOptions)
  for (const weight of WEIGHTS) pdf.registerFont(weight, fontOf(weight) as never)
  return pdf
}

/** Sets how the next text is drawn. A page begins without a colour, and a change takes as long as a word. */
function createPen(pdf: PDFKit.PDFDocument) {
  let inUse = ''
  return {
    take: ({ size = 9, weight = 'regular', colour = DARK }: Ink): PDFKit.PDFDocument => {
      const wanted = `${size} ${weight} ${colour}`
      if (wanted !== inUse) pdf.font(weight).fontSize(size).fillColor(colour)
      inUse = wanted
      return pdf
    },
    drop: (): void => {
      inUse = ''
    },
  }
}

/** Opens a PDF that is drawn page after page. */
export function openPdf(info: PdfInfo) {
  const pdf = createPdf(info)
  const pen = createPen(pdf)
  const { width, height } = pdf.page
  return {
    pdf,
    isStreamed: info.isStreamed,
    left: MARGIN,
    width: width - 2 * MARGIN,
    /** The lowest line on a page. */
    bottom: height - MARGIN - FOOTER,
    footer: height - MARGIN,
    /** Draws one line. */
    line: (text: string, x: number, y: number, box: Box): void => {
      const { shown, size, right, down } = fitted(text, box)
      pen.take({ ...box, size }).text(shown, x + right, y + down, { lineBreak: false, features: [] })
    },
    /** Draws lines that are broken at the width. Returns their height. */
    block: (text: string, x: number, y: number, { width: most, ...how }: Box): number => {
      pen.take(how).text(text, x, y, { width: most, lineGap: 2 })
      return pdf.y - y
    },
    heightOf: (text: string, most: number, how: Ink = {}): number =>
      pen.take(how).heightOfString(text, { width: most, lineGap: 2 }),
    rule: (y: number, { colour = '#c5ccd8', thickness = 0.5, from = MARGIN } = {}) =>
      pdf
        .moveTo(from, y)
        .lineTo(width - MARGIN, y)
        .lineWidth(thickness)
        .strokeColor(colour)
        .stroke(),
    addPage: (): void => {
      pdf.addPage()
      pen.drop()
    },
    /** Draws below a page that waits. */
    turnTo: (index: number): void => {
      pdf.switchToPage(index)
      pen.drop()
    },
    /** The bytes that are written so far. */
    *take(): Generator<Uint8Array> {
      for (let bytes = pdf.read(); bytes !== null; bytes = pdf.read()) yield bytes
    },
  }
}

/** The width of a character in a font of size 1. Characters have no kerning (see fontOf). */
const advanceOf = memoize((place: string): number => {
  const font = fontOf(place.startsWith('b') ? 'bold' : 'regular')
  return font.glyphForCodePoint(place.codePointAt(1) ?? 0).advanceWidth / font.unitsPerEm
})

/** The width of a line in points for size 1. */
export function widthOf(text: string, weight: Weight): number {
  let width = 0
  for (const character of text) width += advanceOf(`${weight[0]}${character}`)
  return width
}

/** Fits a text into its box: texts are cut, and numbers, which are at the right, become smaller. */
function fitted(text: string, { size = 9, weight = 'regular', isRight = false, width }: Box) {
  const own = widthOf(text, weight)
  if (!isRight)
    return { shown: own * size > width ? cut(text, width / size, weight) : text, size, right: 0, down: 0 }
  const smaller = Math.min(size, width / own)
  return { shown: text, size: smaller, right: width - own * smaller, down: (size - smaller) * BASELINE }
}

/** The longest beginning of a text that fits into a width in points for size 1. */
function cut(text: string, width: number, weight: Weight): string {
  const characters = [...text]
  let room = width - widthOf('…', weight)
  const end = characters.findIndex((character) => {
    room -= widthOf(character, weight)
    return room < 0
  })
  return `${characters.slice(0, end).join('')}…`
}
