import { readV2, type SentV2 } from '#lib/api/keys/signature-v2.ts'
import { type RawParameters, readRawParameters } from '#lib/api/raw-parameters.ts'
import {
  callOfUrl,
  callUrlIn,
  isCurl,
  readCurl,
  shellWords,
  type WrittenCall,
} from '#lib/api/refused-hash/written-call.ts'
import { CommandError } from '../../machine/terminal.ts'

export interface SentCall {
  /** The name in the URL: the method's own name or an alias. */
  readonly called: string
  readonly sent: RawParameters
  /** The address of the API; `undefined` for a line of a log. */
  readonly url: string | undefined
  /** Missing for a call without a v2 signature. */
  readonly v2?: SentV2 | undefined
}

/** The lines of a text, each with a call. A curl line may continue over several lines. */
export const callLines = (text: string): string[] =>
  text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .filter((line) => line.trim())

/** Reads the call in a curl line, a line of an access log, or a URL. Throws CommandError if there is none. */
export const readSentCall = async (line: string): Promise<SentCall> =>
  isCurl(line) ? readCurlWords(shellWords(line)) : parametersIn(readLog(line))

/** Reads the call in the words of a curl line. Throws CommandError if there is none. */
export async function readCurlWords(words: readonly string[]): Promise<SentCall> {
  const call = readCurl(words)
  if (call) return parametersIn(call)
  throw new CommandError('The curl line has no URL with /api/ in it')
}

/** Reads the parameters and the v2 signature as the API does. */
async function parametersIn({ called, url, event }: WrittenCall): Promise<SentCall> {
  const sent = await readRawParameters(event)
  return { called, sent, url: /^[^/].*?(?=\/api\/)/.exec(url)?.[0], v2: readV2(event) }
}

/** The path with its query string, in any format of an access log. */
function readLog(line: string): WrittenCall {
  const url = callUrlIn(line)
  if (url === undefined)
    throw new CommandError('A line names no call: it has no path such as /api/devices_get?u=...')
  if (!/[?&]hash=/.test(url)) {
    throw new CommandError('A line has no hash: an access log holds the query string, not the body of a POST')
  }
  return callOfUrl(url)
}
