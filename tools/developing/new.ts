import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { newMethod } from '../contracts/new-method.ts'
import { root } from '../machine/location.ts'
import { printLine } from '../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It writes a contract, a test, an example and a section of docs/wire.md. Edit them, then run npm run fix and npm run generate.',
    )
    .argument('<area/method>', 'such as devices/device_get')
    .action(async (place) => {
      for (const [path, text] of Object.entries(newMethod(place))) {
        await mkdir(dirname(root + path), { recursive: true })
        await writeFile(root + path, text)
        printLine(path)
      }
    })
