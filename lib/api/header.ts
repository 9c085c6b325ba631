import type { APIGatewayProxyEvent } from 'aws-lambda'

/** What a header of a request says, whose name is given in small letters; blank when it is not there. */
export const headerOf = ({ headers }: Pick<APIGatewayProxyEvent, 'headers'>, wanted: string): string =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
