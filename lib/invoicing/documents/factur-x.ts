import type { Element as Node } from 'xml-js'
import { textElement as element, elementNode, write } from '#lib/xml/xml-js.ts'
import { colourProfile } from './fonts.ts'
import { type PdfInfo, PRODUCER } from './pdf-page.ts'

/** The parts of pdfkit that its types do not have: the catalogue and XMP. */
interface WithMetadata {
  readonly _root: { readonly data: { OutputIntents?: readonly PDFKit.PDFKitReference[] } }
  readonly info: { readonly Creator: string }
  appendXML(xml: string): void
  file(src: Uint8Array, options: object): unknown
}

const FILE = 'factur-x.xml'

/**
 * Makes a PDF a Factur-X 1.0 in its profile EN 16931: a PDF/A-3b that holds the invoice in CII. pdfkit writes
 * the same parts for a `subset`, but it does not escape titles and authors, so that a seller called
 * `Dent & Söhne <KG>` makes XMP that cannot be read, and it reads its colour profile from a file next to
 * itself, which a bundle does not have. Sources: Factur-X 1.0.07, "6 Embedding of the XML in PDF/A-3", and
 * ISO 19005-3.
 */
export function holdEInvoice(
  document: PDFKit.PDFDocument,
  info: Pick<PdfInfo, 'title' | 'author' | 'created'>,
  xml: string,
): void {
  const pdf = document as PDFKit.PDFDocument & WithMetadata
  pdf.file(Buffer.from(xml), {
    name: FILE,
    type: 'text/xml',
    relationship: 'Alternative',
    description: 'Factur-X',
    creationDate: info.created,
    modifiedDate: info.created,
  })
  pdf._root.data.OutputIntents = [outputIntent(pdf)]
  Object.assign(pdf, { _addInfo: () => pdf.appendXML(write(descriptions(info, pdf.info.Creator))) })
}

function outputIntent(pdf: PDFKit.PDFDocument): PDFKit.PDFKitReference {
  const profile = pdf.ref({ N: 3 })
  profile.end(Buffer.from(colourProfile()))
  const name = new String('sRGB IEC61966-2.1')
  const intent = pdf.ref({
    ...{ Type: 'OutputIntent', S: 'GTS_PDFA1' },
    ...{ Info: name, OutputConditionIdentifier: name, DestOutputProfile: profile },
  })
  intent.end(undefined)
  return intent
}

const list = (kind: 'Alt' | 'Bag' | 'Seq', ...items: Node[]): Node[] => [elementNode(`rdf:${kind}`, items)]

const description = (names: Readonly<Record<string, string>>, ...elements: Node[]): Node =>
  elementNode('rdf:Description', elements, {
    'rdf:about': '',
    ...Object.fromEntries(Object.entries(names).map(([prefix, uri]) => [`xmlns:${prefix}`, uri])),
  })

const FACTUR_X = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'

const PROPERTIES = [
  ['DocumentFileName', FILE, 'The name of the embedded XML document'],
  ['DocumentType', 'INVOICE', 'The type of the hybrid document in capital letters'],
  ['Version', '1.0', 'The version of the standard applying to the embedded XML document'],
  ['ConformanceLevel', 'EN 16931', 'The conformance level of the embedded XML document'],
] as const

/** The same facts as the dictionary of the PDF has them, and what a Factur-X says of itself. */
const descriptions = (
  { title, author, created }: Pick<PdfInfo, 'title' | 'author' | 'created'>,
  creator: string,
): Node[] => [
  description(
    { xmp: 'http://ns.adobe.com/xap/1.0/' },
    element('xmp:CreateDate', `${created.toISOString().slice(0, 19)}Z`),
    element('xmp:CreatorTool', creator),
  ),
  description(
    { dc: 'http://purl.org/dc/elements/1.1/' },
    elementNode('dc:title', list('Alt', element('rdf:li', title, { 'xml:lang': 'x-default' }))),
    elementNode('dc:creator', list('Seq', element('rdf:li', author))),
  ),
  description({ pdf: 'http://ns.adobe.com/pdf/1.3/' }, element('pdf:Producer', PRODUCER)),
  description(
    { pdfaid: 'http://www.aiim.org/pdfa/ns/id/' },
    element('pdfaid:part', '3'),
    element('pdfaid:conformance', 'B'),
  ),
  description({ fx: FACTUR_X }, ...PROPERTIES.map(([name, value]) => element(`fx:${name}`, value))),
  extensionSchema(),
]

/** PDF/A knows no properties of Factur-X: the file declares their schema (ISO 19005-3, 6.6.2.3). */
const extensionSchema = (): Node =>
  description(
    {
      pdfaExtension: 'http://www.aiim.org/pdfa/ns/extension/',
      pdfaSchema: 'http://www.aiim.org/pdfa/ns/schema#',
      pdfaProperty: 'http://www.aiim.org/pdfa/ns/property#',
    },
    elementNode(
      'pdfaExtension:schemas',
      list(
        'Bag',
        resource(
          element('pdfaSchema:schema', 'Factur-X PDFA Extension Schema'),
          element('pdfaSchema:namespaceURI', FACTUR_X),
          element('pdfaSchema:prefix', 'fx'),
          elementNode('pdfaSchema:property', list('Seq', ...PROPERTIES.map(propertyOf))),
        ),
      ),
    ),
  )

const propertyOf = ([name, , says]: (typeof PROPERTIES)[number]): Node =>
  resource(
    element('pdfaProperty:name', name),
    element('pdfaProperty:valueType', 'Text'),
    element('pdfaProperty:category', 'external'),
    element('pdfaProperty:description', says),
  )

const resource = (...elements: Node[]): Node =>
  elementNode('rdf:li', elements, { 'rdf:parseType': 'Resource' })
