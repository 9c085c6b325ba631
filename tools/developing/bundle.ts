import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { bundleConsole } from '#tools/server/console-build.ts'
import { pathArgument } from '../command-line/arguments.ts'
import { writeRelease } from '../deployment/release-folder.ts'
import { shortPath } from '../machine/location.ts'
import { printLine } from '../machine/terminal.ts'
import { noticesText, packagesIn } from './package.ts'

export const declare = (command: Command) =>
  command
    .argument('[folder]', 'the folder, which is replaced', pathArgument, '.build/release')
    .description('It needs Node alone to run: neither npm, a compiler nor the packages of a checkout.')
    .action(async (folder) => {
      const [code, { metafile }] = [await writeRelease(resolve(folder)), await bundleConsole()]
      await writeFile(`${resolve(folder)}/THIRD-PARTY-NOTICES.txt`, noticesText(packagesIn([code, metafile])))
      printLine(`Wrote ${shortPath(resolve(folder))}: ./tollgate start runs in it`)
    })
