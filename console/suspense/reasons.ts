/** A reason in words, and what helps (docs/switches.md). */
interface ReasonWords {
  readonly title: string
  readonly remedy: string
}

/** For a reason that a later server knows. */
const UNKNOWN: ReasonWords = { title: 'Not billed', remedy: 'The detail says more.' }

const WORDS: Readonly<Record<string, ReasonWords>> = {
  unreadable: {
    title: 'Not of its format',
    remedy:
      'Let the switch send the format of its intake, or retry at a terminal with the right columns. Then drop it here.',
  },
  too_large: { title: 'Too large', remedy: 'Send it in parts, then drop it here.' },
  truncated: { title: 'Cut off on its way', remedy: 'Let the switch send it again, then drop it here.' },
  impossible_time: {
    title: 'Impossible time',
    remedy: 'Correct the clock of the switch, or retry at a terminal with the right zone.',
  },
  ambiguous_time: {
    title: 'Ambiguous time',
    remedy:
      'Let the switch write Unix time, UTC or the seconds of the call. Retry at a terminal, or drop it here.',
  },
  too_long: {
    title: 'Too long a call',
    remedy: 'If the call was that long, raise the setting Max_Call_Hours and retry. Otherwise drop it.',
  },
  no_duration: {
    title: 'No duration',
    remedy: 'Let the switch write the seconds of the call, or its answer and its end.',
  },
  billed_exceeds_duration: { title: 'More billed than talked', remedy: 'Correct the switch.' },
  unknown_disposition: { title: 'Unknown result', remedy: 'Correct the switch.' },
  not_answered_but_billed: { title: 'Billed, but not answered', remedy: 'Correct the switch.' },
  no_start: { title: 'Its beginning did not come', remedy: 'Retry when the event has come.' },
  no_end: { title: 'Its end did not come', remedy: 'Retry when the event has come.' },
  unknown_account: {
    title: 'No customer',
    remedy:
      'Add the device with this name or address to its customer, or the number to its owner. Then retry.',
  },
  unknown_rate: {
    title: 'No price',
    remedy:
      'Add a rate for this number to the tariff that the customer, or the reseller above it, had on the day of the call, or give it another tariff from that day on. Then retry.',
  },
  ambiguous_number: {
    title: 'Ambiguous number',
    remedy:
      "Set the provider's number format or technical prefix, or the settings National_Length and Feature_Codes. Then retry.",
  },
  ambiguous_account: {
    title: 'Ambiguous customer',
    remedy:
      'The account code is the username of one customer and the id of another. Rename the first one. Then retry.',
  },
  blocked_destination: {
    title: 'Blocked destination',
    remedy:
      'Release the prefix in the tariff and retry, or bill the call by hand. Block the prefix on the switch, too.',
  },
  id_used: {
    title: 'Its id belongs to another call',
    remedy: 'Let the switch send it under another source, then drop it here.',
  },
  already_answered: {
    title: 'Stored as answered',
    remedy: 'Look at the switch: credit the call if it was not answered. Then drop this.',
  },
  possible_duplicate: {
    title: 'Possible duplicate',
    remedy: 'The switch is read in two ways: read it in one, and drop these.',
  },
  invoiced: {
    title: 'Day already invoiced',
    remedy: 'Settle the difference with the customer, then drop it.',
  },
  version_gone: { title: 'Its prices are gone', remedy: 'Retry: the oldest prices that are kept rate it.' },
  former_owner: {
    title: 'Former owner',
    remedy:
      'Its customer belonged to another owner then. Import the call with that owner and its price, or settle it by hand; then drop it.',
  },
  came_priced: {
    title: 'Came with its price',
    remedy: 'Import the corrected row of calls with its prices, then retry.',
  },
}

export const reasonWords = (reason: string): ReasonWords => WORDS[reason] ?? UNKNOWN
