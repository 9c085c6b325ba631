import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { XmlDocument, XsdValidator } from 'libxml2-wasm'
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs'
import { installLine } from '#tools/machine/optional-packages.ts'
import { root } from '#tools/machine/program.ts'
import { stylesheetOf } from './schematron.ts'

// Public rules of e-invoices. They are fetched once and compiled below .build: the second names no licence.

/** One commit of each repository. Licences: EUPL 1.2, none named, Apache 2.0, MIT (XSD of OASIS). */
const REPOSITORIES = {
  cen: 'ConnectingEurope/eInvoicing-EN16931/b6c9e06a59812fb1a83585da40923b3678a649ad',
  peppol: 'OpenPEPPOL/peppol-bis-invoice-3/78d7f7dfa223f39f8ebd8d35c127f2690e646322',
  kosit: 'itplr-kosit/xrechnung-schematron/3098f3da447b9c435c969158a576573bca09afbe',
  ubl: 'UblSharp/UblSharp/4d867c7e2bfca333b2aab24b3a160efa73aad83b',
} as const

/** The files of each set of rules in Schematron. */
const RULES = {
  'EN 16931 in UBL': ['cen/ubl/schematron/preprocessed/EN16931-UBL-validation-preprocessed.sch'],
  'EN 16931 in CII': ['cen/cii/schematron/preprocessed/EN16931-CII-validation-preprocessed.sch'],
  'Peppol BIS Billing 3': ['peppol/rules/sch/PEPPOL-EN16931-UBL.sch'],
  'XRechnung 3.0': [
    'kosit/src/validation/schematron/ubl/XRechnung-UBL-validation.sch',
    'kosit/src/validation/schematron/common.sch',
  ],
} as const

const MAINDOC = 'ubl/src/UblSharp.Validation/Resources/maindoc'

const CII_FOLDER = 'cen/cii/schema/D16B SCRDM (Subset)/coupled clm/CII/uncefact/data/standard'

/** By the name of a document's root. */
const SCHEMAS = {
  Invoice: `${MAINDOC}/UBL-Invoice-2.1.xsd`,
  CreditNote: `${MAINDOC}/UBL-CreditNote-2.1.xsd`,
  CrossIndustryInvoice: `${CII_FOLDER}/CrossIndustryInvoice_100pD16B.xsd`,
} as const

export type RuleSet = keyof typeof RULES

export interface Judges {
  /** The assertions that a document breaks, such as `fatal BR-CO-16`. */
  readonly broken: (rules: RuleSet, xml: string) => readonly string[]
  /** Throws what the XSD of its root objects to. */
  readonly validate: (xml: string) => void
}

const KEPT = join(root, '.build/e-invoice-rules')

/** Fetches and compiles what is not kept yet. Returns a reason if the compiler or a file is not to be had. */
export async function openJudges(): Promise<Judges | string> {
  const compiler = compilerOf()
  if (!compiler) return `the compiler is not installed: ${installLine('xslt3', 'saxon-js')}`
  try {
    const sheets = await Promise.all(
      Object.entries(RULES).map(
        async ([name, files]) => [name, await compiled(compiler, name, files)] as const,
      ),
    )
    const byName = new Map<string, unknown>(sheets)
    const validators = await schemaValidators()
    return {
      broken: (rules, xml) =>
        linesOf(
          compiler.saxon.transform({
            stylesheetInternal: byName.get(rules),
            sourceText: xml,
            destination: 'serialized',
          }),
        ),
      validate: (xml) => {
        using document = XmlDocument.fromString(xml)
        validators[document.root.name as keyof typeof SCHEMAS].validate(document)
      },
    }
  } catch (error) {
    if (error instanceof Unreachable) return error.message
    throw error
  }
}

const linesOf = ({ principalResult }: { readonly principalResult: string | null }): string[] =>
  (principalResult ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

// Compiling

interface Saxon {
  /** The result is null where nothing was written. */
  transform(options: object): { readonly principalResult: string | null }
}

/** Both packages are optional: `npm ci` leaves them out. */
function compilerOf(): { readonly saxon: Saxon; readonly program: string } | undefined {
  const require = createRequire(import.meta.url)
  try {
    return { saxon: require('saxon-js'), program: require.resolve('xslt3/xslt3.js') }
  } catch {
    return undefined
  }
}

async function compiled(
  { program }: { readonly program: string },
  name: string,
  files: readonly string[],
): Promise<unknown> {
  const place = join(KEPT, name.replaceAll(/\W+/g, '-'))
  if (!existsSync(`${place}.sef.json`)) {
    writeKept(`${place}.xsl`, stylesheetOf(await Promise.all(files.map(kept))))
    await promisify(execFile)(process.execPath, [
      program,
      `-xsl:${place}.xsl`,
      `-export:${place}.sef.json`,
      '-nogo',
    ])
  }
  return JSON.parse(readFileSync(`${place}.sef.json`, 'utf8'))
}

async function schemaValidators() {
  xmlRegisterFsInputProviders()
  const opened = await Promise.all(
    Object.entries(SCHEMAS).map(async ([name, path]) => {
      await keepImports(path)
      const file = join(KEPT, path)
      using document = XmlDocument.fromString(readFileSync(file, 'utf8'), { url: file })
      return [name, XsdValidator.fromDoc(document)] as const
    }),
  )
  return Object.fromEntries(opened) as Record<keyof typeof SCHEMAS, XsdValidator>
}

// Fetching

class Unreachable extends Error {}

function writeKept(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const FETCH_MS = 20_000

/** The text of a file, whose path begins with the name of its repository. */
async function kept(path: string): Promise<string> {
  const file = join(KEPT, path)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const [repository = '', ...rest] = path.split('/')
  const url = `https://raw.githubusercontent.com/${REPOSITORIES[repository as keyof typeof REPOSITORIES]}/${rest.map(encodeURIComponent).join('/')}`
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) }).catch((error: unknown) => {
    throw new Unreachable(`${url} cannot be fetched: ${error}`)
  })
  if (!response.ok) throw new Unreachable(`${url} cannot be fetched: ${response.status}`)
  const text = await response.text()
  writeKept(file, text)
  return text
}

/** Fetches a schema and what it imports. */
async function keepImports(path: string, seen = new Set<string>()): Promise<void> {
  if (seen.has(path)) return
  seen.add(path)
  const text = await kept(path)
  for (const [, location = ''] of text.matchAll(/schemaLocation="([^"]+)"/g))
    await keepImports(join(dirname(path), location), seen)
}
