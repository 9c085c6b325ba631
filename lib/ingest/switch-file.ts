import { text } from 'node:stream/consumers'
import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { type FormatName, isFormat } from '#lib/intake/formats.ts'
import { isObject } from '#lib/intake/json-objects.ts'
import { findIntake } from '#lib/store/installation/intake.ts'
import type { FileTask } from './file-message.ts'
import { type FileOutcome, type FileServices, headerOf, split } from './import-file.ts'
import { type Delivery, isSourceName } from './switches/delivery.ts'
import { type IntakeWorld, openIntakeWorld } from './switches/intake-world.ts'
import { keepAside, LONGEST_KEPT } from './switches/suspending.ts'
import { takeDocuments } from './switches/take-document.ts'

const PREFIX = 'switches/'

export const isSwitchFile = ({ key }: FileTask): boolean => key.startsWith(PREFIX)

/**
 * Takes in what a switch wrote, from `switches/<switch>/<format>/<any name>`. Where an intake has the name of the switch, the
 * zone, columns and mapping are its. A large file of rows goes back into the queue in parts; one that is a single document is
 * kept in suspense, cut. Throws DatasetError for a key that does not say from where the records come.
 */
export async function takeSwitchFile(services: FileServices, task: FileTask): Promise<FileOutcome> {
  const world = await openIntakeWorld(services.store, services.clock())
  const delivery = await deliveryOf(world, task.key)
  if (!task.part && task.size > 2 * services.partBytes) return takeLarge(services, task, { world, delivery })
  const { files } = services
  const document = (await headerOf(files, task)) + (await text(await files.read(task, task.part)))
  return { outcome: 'taken in', ...(await takeDocuments(world, delivery, [document])) }
}

async function deliveryOf({ store, settings }: IntakeWorld, key: string): Promise<Delivery> {
  const [source = '', format = '', ...names] = key.slice(PREFIX.length).split('/')
  if (!isSourceName(source) || !isFormat(format) || names.join('') === '') {
    throw new DatasetError(`${key} is not ${PREFIX}<name of a switch>/<format>/<file>`)
  }
  const { zone = settings.Timezone, columns, mapping } = (await findIntake(store, source)) ?? {}
  return { format, origin: { source, zone, ...(columns && { columns }), ...(mapping && { mapping }) } }
}

interface Arrival {
  readonly world: IntakeWorld
  readonly delivery: Delivery
}

async function takeLarge(
  services: FileServices,
  task: FileTask,
  { world, delivery }: Arrival,
): Promise<FileOutcome> {
  const isCsv = delivery.format.endsWith('csv')
  const beginning = await text(await services.files.read(task, { from: 0, to: 4 * LONGEST_KEPT }))
  if (isCsv || beginsWithALine(delivery.format, beginning)) return split(services, task, isCsv)
  const detail = `its ${task.size} bytes are one document: more than ${2 * services.partBytes}`
  await keepAside(world, [{ delivery, document: beginning, problem: { reason: 'too large', detail } }])
  return { outcome: 'taken in', stored: 0, known: 0, waiting: 0, suspended: 1 }
}

/** An object on its first line: then there is one on each. */
function beginsWithALine(format: FormatName, beginning: string): boolean {
  const [line = '', ...others] = beginning.split('\n')
  try {
    return format !== 'freeswitch-xml' && others.length > 0 && isObject(JSON.parse(line))
  } catch {
    return false
  }
}
