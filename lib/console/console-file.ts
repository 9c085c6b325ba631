import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { CONSOLE_HEADERS, CONSOLE_TYPES, type ConsolePath, isConsolePath } from './headers.ts'

/** Which file of the console lies under which path: its path, flat. */
export const fileName = (path: ConsolePath): string =>
  path === '/' ? 'index.html' : path.slice(1).replaceAll('/', '-')

type ConsoleEvent = Pick<APIGatewayProxyEvent, 'resource' | 'pathParameters'>

/** Answers with the files of a folder. Every browser takes gzip; the description of the API is large. */
export const consoleFile =
  (folder: string) =>
  async ({ resource, pathParameters }: ConsoleEvent): Promise<APIGatewayProxyResult> => {
    const path = resource.replace('{file}', pathParameters?.['file'] ?? '')
    if (!isConsolePath(path)) return { statusCode: 404, headers: { ...CONSOLE_HEADERS }, body: '' }
    return {
      statusCode: 200,
      headers: { ...CONSOLE_HEADERS, 'Content-Type': CONSOLE_TYPES[path], 'Content-Encoding': 'gzip' },
      body: gzipSync(await readFile(`${folder}/${fileName(path)}`)).toString('base64'),
      isBase64Encoded: true,
    }
  }
