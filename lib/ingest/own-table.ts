import { functionConfig } from '#lib/store/requests/aws-config.ts'
import { createClient } from '#lib/store/requests/client.ts'
import type { TableServices } from '#lib/store/store.ts'
import { createStore } from '#lib/store/store.ts'
import { tableLocation } from '#lib/store/table.ts'

/** The services of a running Lambda that takes records in. */
export function servicesOfOwnTable(): TableServices {
  const location = tableLocation(process.env)
  const client = createClient(location, functionConfig(process.env))
  return {
    openStore: (meter) => createStore({ client, tableName: location.tableName, meter }),
    clock: () => new Date(),
    log: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
  }
}
