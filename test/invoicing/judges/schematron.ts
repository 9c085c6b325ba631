import { XmlDocument, XmlElement } from 'libxml2-wasm'

const SCHEMATRON = 'http://purl.oclc.org/dsdl/schematron'
const XSLT = 'http://www.w3.org/1999/XSL/Transform'

const attribute = (text: string): string =>
  `"${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`

/** The elements that the path finds from this one on. */
const below = (element: XmlElement, path: string): XmlElement[] =>
  element
    .find(path, { sch: SCHEMATRON, xsl: XSLT })
    .filter((node): node is XmlElement => node instanceof XmlElement)

const attributeOf = (element: XmlElement, name: string): string => element.attr(name)?.value ?? ''

/**
 * Translates rules of Schematron with the query binding xslt2 into one stylesheet, which prints a line of
 * flag and id for each assertion that a document breaks. Of the rules of a pattern, the first one that
 * matches a node holds.
 */
export function stylesheetOf(schematrons: readonly string[]): string {
  const documents = schematrons.map((text) => XmlDocument.fromString(text))
  const roots = documents.map(({ root }) => root)
  const names = new Map<string, string>()
  const globals = new Map<string, string>()
  const functions: string[] = []
  for (const root of roots) {
    for (const ns of below(root, '//sch:ns')) names.set(attributeOf(ns, 'prefix'), attributeOf(ns, 'uri'))
    for (const one of below(root, '/sch:schema/sch:let'))
      globals.set(attributeOf(one, 'name'), attributeOf(one, 'value'))
    functions.push(...below(root, '//xsl:function').map(String))
  }
  const patterns = roots.flatMap((root) => below(root, '/sch:pattern | /sch:schema/sch:pattern'))
  const templates = patterns.map((pattern, index) => patternTemplates(pattern, `m${index}`, globals))
  const modes = patterns.map((_pattern, index) => `<xsl:apply-templates select="/" mode="m${index}"/>`)
  const declared = [...names].filter(([prefix]) => prefix !== 'xsl')
  const variables = [...globals].map(([name, value]) => variable(name, value))
  for (const document of documents) document.dispose()
  return [
    `<xsl:stylesheet version="3.0" xmlns:xsl="${XSLT}" ${declared.map(([prefix, uri]) => `xmlns:${prefix}=${attribute(uri)}`).join(' ')}>`,
    '<xsl:output method="text"/>',
    ...functions,
    ...variables,
    `<xsl:template match="/">${modes.join('')}</xsl:template>`,
    ...templates,
    '</xsl:stylesheet>',
  ].join('\n')
}

const variable = (name: string, value: string): string =>
  `<xsl:variable name="${name}" select=${attribute(value)}/>`

/** Variables of a pattern become global ones. One whose name has another value already gets a new name. */
function patternTemplates(pattern: XmlElement, mode: string, globals: Map<string, string>): string {
  const renamed = new Map<string, string>()
  for (const one of below(pattern, 'sch:let')) {
    const [name, value] = [attributeOf(one, 'name'), attributeOf(one, 'value')]
    const known = globals.get(name)
    if (known !== undefined && known !== value) renamed.set(name, `${name}_${mode}`)
    globals.set(renamed.get(name) ?? name, value)
  }
  const own = (text: string): string =>
    text.replaceAll(/\$([\w.-]+)/g, (_, name) => `$${renamed.get(name) ?? name}`)
  const further = `<xsl:apply-templates select="@*|node()" mode="${mode}"/>`
  const rules = below(pattern, 'sch:rule').map(
    (rule, index) =>
      `<xsl:template mode="${mode}" priority="${1000 - index}" match=${attribute(own(attributeOf(rule, 'context')))}>${below(
        rule,
        'sch:*',
      )
        .map((one) => stepOf(one, own))
        .join('')}${further}</xsl:template>`,
  )
  return [
    ...rules,
    `<xsl:template mode="${mode}" match="text()"/>`,
    `<xsl:template mode="${mode}" match="*|/|@*" priority="-1">${further}</xsl:template>`,
  ].join('\n')
}

/** A variable, an assertion or a report of a rule. */
function stepOf(element: XmlElement, own: (text: string) => string): string {
  if (element.name === 'let')
    return variable(attributeOf(element, 'name'), own(attributeOf(element, 'value')))
  if (element.name !== 'assert' && element.name !== 'report') return ''
  const test = own(attributeOf(element, 'test'))
  const isBroken = element.name === 'assert' ? `not(${test})` : test
  const flag = attributeOf(element, 'flag') || attributeOf(element, 'role')
  return `<xsl:if test=${attribute(isBroken)}>${flag} ${attributeOf(element, 'id')}<xsl:text>&#10;</xsl:text></xsl:if>`
}
