import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings'
import { isLessThan, type Money, ONE, positiveOf } from '#lib/base/money.ts'
import { DIMENSIONS } from '#lib/calls/report/dimensions.ts'
import { MEASURES, USUAL_MEASURES } from '#lib/calls/report/measures.ts'
import { dayOption, monthArgument } from '../../command-line/arguments.ts'

export const LAST_DAY_WORDS = 'the last day, included (default: today)'

/** The options that select the days of a report. */
export const withDayOptions = <O extends OptionValues>(command: Command<[], O>) =>
  command
    .option(
      '--from <DAY>',
      'the first day (YYYY-MM-DD, today or yesterday; default: the first of the month of the last day)',
      dayOption,
    )
    .option('--till <DAY>', LAST_DAY_WORDS, dayOption)
    .addOption(
      new Option('--month <MONTH>', 'the days of a month (YYYY-MM)')
        .argParser(monthArgument)
        .conflicts(['from', 'till']),
    )

export const withRows = (command: Command) =>
  withDayOptions(command)
    .addOption(
      new Option('--by <LIST>', `the rows, with commas between them: ${DIMENSIONS.join(', ')}`)
        .argParser(listOf(DIMENSIONS))
        .default([DIMENSIONS[0]], DIMENSIONS[0]),
    )
    .addOption(
      new Option('--columns <LIST>', `the figures, of ${MEASURES.join(', ')}`)
        .argParser(listOf(MEASURES))
        .default(USUAL_MEASURES, 'the first eleven'),
    )

/** The options that select calls. */
export const withFilters = <O extends OptionValues>(command: Command<[], O>) =>
  command
    .option('--customer <USERNAME...>', 'only calls of these customers')
    .option('--provider <NAME...>', 'only calls through these providers, by name or id')
    .option('--device <NAME...>', 'only calls of these devices, by name or id')
    .option(
      '--group <NAME=ID,...>',
      'names a group of devices, for --by devicegroup; repeat it. Calls of other devices are left out',
      groupIn,
    )
    .option('--country <NAME...>', 'only calls to these countries')
    .option('--destination <NAME...>', 'only calls to these destinations')
    .addOption(new Option('--line <KIND...>', 'only calls to these lines').choices(['mobile', 'fixed']))
    .addOption(
      new Option('--direction <KIND...>', 'only these calls').choices(['outgoing', 'incoming', 'internal']),
    )
    .option('--disposition <WORD...>', 'only calls with this result, such as answered or no_answer')
    .option('--hangupcause <CAUSE...>', 'only calls with these hangup causes')

export function factorArgument(text: string): Money {
  const factor = positiveOf(text)
  if (factor !== undefined && !isLessThan(factor, ONE)) return factor
  throw new InvalidArgumentError('It takes a number from 1.')
}

/** Reads words with commas between them. */
export const listOf =
  <W extends string>(known: readonly W[]) =>
  (text: string): W[] => {
    const words = [...new Set(text.split(',').map((word) => word.trim().toLowerCase()))]
    const unknown = words.find((word) => !known.some((one) => one === word))
    if (unknown === undefined) return words as W[]
    throw new InvalidArgumentError(`There is no ${JSON.stringify(unknown)}: use ${known.join(', ')}.`)
  }

/** Adds `EN=181,1081` to the groups of devices. */
function groupIn(text: string, groups: ReadonlyMap<number, string> = new Map()): ReadonlyMap<number, string> {
  const [, name = '', ids = ''] = /^([^=]+)=(\d{1,15}(?:,\d{1,15})*)$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('Use a name and ids of devices, such as EN=181,1081.')
  return new Map([...groups, ...ids.split(',').map((id) => [Number(id), name] as const)])
}

export function patternIn(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new InvalidArgumentError('Use a regular expression, such as "mobile|cellular".')
  }
}
