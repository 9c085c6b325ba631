import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { Metafile } from 'esbuild'
import { pathArgument } from '#tools/command-line/arguments.ts'
import { root } from '#tools/machine/program.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { bundleConsole } from '#tools/server/console-build.ts'
import { buildBundles, buildConsoleBundles, checkBundles, sourcesIn } from '../deployment/bundles.ts'
import { writeConsole } from '../deployment/console-files.ts'
import { checkParameters, runServerless, stageOptions } from '../deployment/serverless.ts'

export const declare = (command: Command) =>
  command
    .description('It writes into .serverless and checks the size of every bundle. It needs no AWS account.')
    .option('--stage <NAME>', 'the installation; infra/stages.yml holds its differences', 'dev')
    .option('--region <NAME>', 'the AWS region (default: AWS_REGION, or eu-central-1)')
    .option(
      '--functions-of <FOLDER>',
      'copy the functions that the package of another stage of this checkout has',
      pathArgument,
    )
    .action(async ({ stage, region, functionsOf }) => {
      if (functionsOf !== undefined) process.env['TOLLGATE_PACKED_FUNCTIONS'] = resolve(functionsOf)
      const where = stageOptions(stage, region)
      checkParameters(stage)
      await writeConsole()
      await runServerless(['package', ...where])
      await checkBundles()
      await writeNotices()
    })

/** A package of others that a deployment carries. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** The SPDX expression of its package.json. */
  readonly license: string
  /** The texts of its files LICENSE, COPYING and NOTICE. */
  readonly texts: readonly string[]
}

/** esbuild's metadata of the deployed code: the functions and the page of the console. */
export async function shippedMetafiles(): Promise<Metafile[]> {
  const [functions, ofConsole, page] = await Promise.all([
    buildBundles(),
    buildConsoleBundles(),
    bundleConsole(),
  ])
  return [...functions, ...ofConsole, page].map(({ metafile }) => metafile)
}

/** The packages that contribute code to these bundles, by name. */
export function packagesIn(metafiles: readonly Metafile[]): ShippedPackage[] {
  const folders = new Set(metafiles.flatMap(contributing).flatMap(folderOf))
  return [...folders].sort().map(readPackage)
}

const contributing = (metafile: Metafile): string[] =>
  sourcesIn(metafile).flatMap((path) => [path, ...filesWithin(metafile.inputs[path])])

/** Files within a style, such as a font. esbuild counts their bytes as the style's. */
const filesWithin = (style: Metafile['inputs'][string] | undefined): string[] =>
  (style?.imports ?? []).filter(({ kind }) => kind === 'url-token').map(({ path }) => path)

/** The innermost folder in `node_modules`, since a package may bring another version of a package. */
const folderOf = (path: string): string[] =>
  /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.slice(0, 1) ?? []

const NOTICES = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/** The part of a package.json that names the licence. `licenses` is the form of older packages. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly licenses?: readonly { readonly type: string }[]
  readonly author?: string | { readonly name: string }
}

function readPackage(folder: string): ShippedPackage {
  const manifest: Manifest = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'))
  const { name, version, license = (manifest.licenses ?? []).map(({ type }) => type).join(' OR ') } = manifest
  const files = readdirSync(root + folder).filter((file) => NOTICES.test(file))
  const texts = files.map((file) => textOf(`${folder}/${file}`))
  return { name, version, license, texts: texts.length > 0 ? texts : [usualText(manifest, license)] }
}

const textOf = (path: string): string =>
  readFileSync(root + path, 'utf8')
    .replace(/\r\n/g, '\n')
    .trim()

/** The text of the licence of a package that names it and has no file with it. */
function usualText({ name, author = '' }: Manifest, license: string): string {
  const text = license === 'Apache-2.0' ? textOf(APACHE_TEXT) : USUAL_TEXTS[license]
  if (!text)
    throw new CommandError(
      `${name} is under "${license}" and has no text of it: add it to tools/developing/package.ts`,
    )
  return `Copyright (c) ${typeof author === 'string' ? author : author.name}\n\n${text}`
}

/** Packages of one author: not each of them has its text. */
const APACHE_TEXT = 'node_modules/@aws-sdk/client-dynamodb/LICENSE'

/** Keyed by SPDX identifier, without the line of the copyright. */
const USUAL_TEXTS: Readonly<Record<string, string>> = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
}

const RULE = '='.repeat(80)

/** The notices of all packages. A text that several packages share is written once. */
export function noticesText(packages: readonly ShippedPackage[]): string {
  const byText = new Map<string, string[]>()
  for (const { name, version, license, texts } of packages) {
    const text = texts.join('\n\n')
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`])
  }
  const sections = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}`)
  return [HEADING, ...sections].join(`\n\n${RULE}\n\n`).concat('\n')
}

const HEADING = 'Tollgate carries code of these packages. Their licences ask for these notices.'

/** Writes the notices into the folder of the packages, which a release archives. */
export async function writeNotices(): Promise<void> {
  await writeFile(
    `${root}.serverless/THIRD-PARTY-NOTICES.txt`,
    noticesText(packagesIn(await shippedMetafiles())),
  )
}
