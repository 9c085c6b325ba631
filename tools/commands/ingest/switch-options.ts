import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings'
import { readPlainInputs } from '#lib/acts/inputs.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import * as switches from '#lib/cdrs/switches/switch-writing.ts'
import { declareInputs, textsOf } from '../../command-line/act-commands.ts'

/** An operator's description of how a switch writes. */
export interface SwitchOptions {
  readonly zone?: string | undefined
  readonly columns?: string | undefined
  /** The options of Master.csv that cdr.conf sets, separated by commas; blank for none. */
  readonly master?: string | undefined
  readonly map?: readonly string[] | undefined
  /** `COLUMN=VALUE` or `COLUMN!=VALUE` for CSV: the rows to mediate. */
  readonly where?: readonly string[] | undefined
  /** The order in times whose year comes last. */
  readonly dates?: string | undefined
  /** How lengths are written whose heading does not say it. */
  readonly lengthFormat?: string | undefined
  /** The kind of its account codes. */
  readonly codes?: string | undefined
}

/** Declares the options that describe how a switch writes. They are checked before the table is asked. */
export function withSwitchOptions<A extends unknown[], O extends OptionValues, G extends OptionValues>(
  command: Command<A, O, G>,
): Command<A, O & SwitchOptions, G> {
  declareInputs(command as unknown as CommandUnknownOpts, switches.switchInputs)
  return command.hook('preAction', (called) => void describedBy(called.opts())) as unknown as Command<
    A,
    O & SwitchOptions,
    G
  >
}

/** The fields of a CDR document by the operator's description. Throws Refusal if it is malformed. */
export const describedBy = (
  options: SwitchOptions,
): Partial<Pick<CdrDocument, 'zone' | 'columns' | 'mapping' | 'where' | 'dates' | 'lengths' | 'codes'>> =>
  switches.switchWritesAs(
    readPlainInputs(switches.switchInputs, textsOf({ ...options }, switches.switchInputs)),
  )
